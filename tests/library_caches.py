"""What the `transformers` library really caches, layer by layer, for the default config of each model type.

    python tests/library_caches.py OUT.json [MODEL_TYPE ...]

Nothing here knows a rule of any architecture. A model is built from its config on the meta device (shapes
without memory), two forward passes of different length fill its cache, and the shapes of the tensors in each
layer's cache say what it holds: per token where the shape grew, constant where it did not. Where a model looks
at values, which a meta tensor has not, a small model on real tensors takes its place: it shrinks only what no
cached shape depends on. Two of the library's checks that look at values are switched off.

A default config that the library itself cannot run is completed, and some types are measured again with other
fields (`changed` says which). Of a config with a `text_config` only the language model is built.

An entry: `model_type`, `changed`, `config` (what would be saved, less tokens, dropout and the like), `layers`,
`how`, `why_not`. A layer: `count`; `kind` (full, window, state, hybrid, hybrid_window, compressed, none);
`elements_per_token` (keys and values); `index_elements` (keys of an indexer, per token); `window`;
`state_elements` and `conv_elements` (constant size); `compressed` ("elements/tokens": so many elements for each
run of so many tokens); `keys` and `values` (heads x width).
"""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_VERBOSITY"] = "error"

import torch
from transformers import CONFIG_MAPPING, AutoModel, AutoModelForCausalLM, DynamicCache, masking_utils
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, MODEL_MAPPING_NAMES

Changes = dict[str, Any]

# Encoders, encoder-decoders and towers of other modalities that the library lists among the causal models.
NOT_DECODERS = re.compile(
    r"aimv2_.*|bart|bert.*|big_?bird.*|blenderbot.*|camembert|clip_.*"
    r"|data2vec.*|electra|embedding_.*|ernie|.*_assistant|git|got_ocr2|marian|mbart|megatron.*|moss_.*|musicgen.*"
    r"|mvp|pegasus|plbart|prophetnet|rembert|roberta.*|roc_bert|roformer|sam3_.*|speech_to_text|tipsv2_.*|trocr"
    r"|whisper|xlm|xlm-.*|xmod"
)
# Configs whose language model lies in a nested config.
COMPOSITES = re.findall(
    r"\w+",
    """aya_vision gemma3n gemma4 gemma4_unified hy_v4_vl idefics3 inkling_mm_model internvl kimi_k25 llava
    minimax_m3_vl mistral3 mistral4 muse_spark paligemma qwen2_5_vl qwen2_vl qwen3_vl qwen3_vl_moe qwen4_exp
    smolvlm""",
)


def some(full: set[int], layers: int, other: str, word: str = "full_attention") -> list[str]:
    return [word if i in full else other for i in range(layers)]


MROPE = {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5, "mrope_section": [8, 12, 12]}
INDEXER = {"indexer_n_heads": 16, "indexer_kv_heads": 1, "indexer_head_dim": 256}
INDEXER |= {"indexer_budget": 2048, "indexer_compress_ratio": 16}
KDA = {"full_attn_layers": [4, 8], "kda_layers": [1, 2, 3, 5, 6, 7], "head_dim": 64, "num_heads": 16}
GRANITE = {"num_hidden_layers": 40, "layer_types": some({5, 15, 25, 35}, 40, "mamba", "attention")}
FALCON = {"new_decoder_architecture": True, "hidden_size": 8192, "num_attention_heads": 128, "num_kv_heads": 8}
# What the default lacks to run.
COMPLETED: dict[str, Changes] = {
    "bamba": {"attn_layer_indices": [9, 18, 27]},
    "cohere_compass_text": {"rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 1e4}}},
    "dbrx": {"attn_config": {"kv_n_heads": 8, "clip_qkv": 8, "rope_theta": 5e5}},
    "deepseek_v2": {"num_experts_per_tok": 6},
    "dots1": {"n_routed_experts": 128, "n_shared_experts": 2, "num_experts_per_tok": 6},
    "glm4v_moe_text": {"head_dim": 128, "rope_parameters": MROPE},
    "glm4v_text": {"rope_parameters": MROPE},
    "glm_image_text": {"rope_parameters": MROPE},
    "granitemoehybrid": GRANITE | {"num_key_value_heads": 8},
    "hunyuan_v1_dense": {"head_dim": 128},
    "hunyuan_v1_moe": {"head_dim": 128},
    "hunyuan_vl_text": {"head_dim": 128, "rope_parameters": MROPE | {"mrope_section": [16, 24, 24]}},
    "lfm2_moe": {"num_hidden_layers": 24, "layer_types": some({2, 6, 10, 14, 18, 21}, 24, "conv")},
    "ministral": {"head_dim": 128},
    "nemotron": {"num_key_value_heads": 8},
    "qwen4_exp": {"text_config": INDEXER},
    "qwen4_exp_text": INDEXER,
}
# Other values of the fields that decide a pattern or a head count.
VARIED: dict[str, list[Changes]] = {
    "cohere2_moe": [{"first_k_dense_replace": 2}],
    "deepseek_v2": [{"num_experts_per_tok": 6, "q_lora_rank": None, "num_hidden_layers": 27}],
    "deepseek_v4": [{"num_hidden_layers": 8, "compress_ratios": [0, 0, 4, 128, 4, 128, 4, 0]}],
    "dots1": [COMPLETED["dots1"] | {"max_window_layers": 31}],
    "exaone4": [{"sliding_window": None, "layer_types": ["full_attention"] * 32}],
    "falcon": [{"multi_query": False}, FALCON],
    "gemma3n_text": [{"num_kv_shared_layers": 0}],
    "gemma4_text": [{"num_kv_shared_layers": 12}, {"attention_k_eq_v": True, "num_global_key_value_heads": 2}],
    "glm_moe_dsa": [{"index_topk_freq": 4, "index_skip_topk_offset": 3}],
    "gpt_bigcode": [{"multi_query": False}],
    "inkling_text": [{"local_layer_ids": [0, 1, 2, 4, 5, 6]}],
    "jamba": [{"attn_layer_period": 4, "attn_layer_offset": 1}],
    "kimi_linear": [{"num_hidden_layers": 8, "linear_attn_config": KDA | {"short_conv_kernel_size": 4}}],
    "laguna": [{"layer_types": some(set(range(0, 40, 4)), 40, "sliding_attention"), "sliding_window": 512}],
    "lfm2": [{"num_hidden_layers": 16, "full_attn_idxs": [2, 5, 8, 10, 12, 14]}],
    "llama4_text": [{"attention_chunk_size": None}],
    "mellum": [{"layer_types": some(set(range(3, 28, 4)), 28, "sliding_attention"), "sliding_window": 1024}],
    "minimax": [{"num_hidden_layers": 16, "layer_types": some({7, 15}, 16, "linear_attention")}],
    "minimax_m3_vl_text": [{"layer_types": some({0, 1, 2}, 60, "minimax_m3_sparse")}],
    "mistral": [{"sliding_window": None}],
    "mistral_large4_text": [{"num_hidden_layers": 8, "kv_source_layers": [0, 1, 2, 3, 2, 3, 2, 3]}],
    "mixtral": [{"sliding_window": 4096}],
    "modernbert-decoder": [{"global_attn_every_n_layers": 2}],
    "nemotron_h": [{"hybrid_override_pattern": "M-M-M-MM-M-M*-M-ME*"}],
    "phi3": [{"sliding_window": 2047}],
    "phimoe": [{"sliding_window": 2047}],
    "qwen2": [{"use_sliding_window": True, "max_window_layers": 28, "num_key_value_heads": 8}],
    "qwen2_moe": [{"use_sliding_window": True, "max_window_layers": 12}],
    "qwen3": [{"use_sliding_window": True, "max_window_layers": 28, "num_key_value_heads": 8}],
    "qwen3_moe": [{"use_sliding_window": True}],
    "qwen3_next": [{"full_attention_interval": 3}],
    "recurrent_gemma": [{"block_types": ["recurrent", "attention"], "num_key_value_heads": 1}],
    "smollm3": [{"use_sliding_window": True, "sliding_window": 2048}],
    "starcoder2": [{"sliding_window": 4096}],
    "zamba2": [{"num_hidden_layers": 6, "layers_block_type": some({2, 5}, 6, "mamba", "hybrid")}],
    "zaya": [{"layer_types": some({0, 10}, 40, "hybrid_sliding", "hybrid"), "sliding_window": 4096}],
}
# What is shrunk to run on real tensors.
SMALL: dict[str, Changes] = {
    "dbrx": {"ffn_config": {"ffn_hidden_size": 16}, "vocab_size": 64},
    "glm5_next_text": {"hidden_size": 64, "n_routed_experts": 8, "vocab_size": 64, "pad_token_id": 0}
    | {"intermediate_size": 64, "moe_intermediate_size": 16, "num_attention_heads": 8, "num_key_value_heads": 8}
    | {"q_lora_rank": 64, "index_n_heads": 4},
    "jetmoe": {"hidden_size": 64, "intermediate_size": 64, "vocab_size": 64},
    "longcat_flash": {"hidden_size": 64, "ffn_hidden_size": 64, "expert_ffn_hidden_size": 16, "vocab_size": 64}
    | {"n_routed_experts": 8, "zero_expert_num": 4, "moe_topk": 2, "q_lora_rank": 64},
    "qwen4_exp_text": {"hidden_size": 64, "num_experts": 8, "num_experts_per_tok": 2, "vocab_size": 64}
    | {"moe_intermediate_size": 16, "shared_expert_intermediate_size": 16, "hc_lowrank": 16},
}
# Lengths that are whole numbers of compressed blocks; and inputs of more than one code a token.
LENGTHS = {"deepseek_v4": (256, 512), "glm5_next_text": (32, 64), "qwen4_exp_text": (32, 64)}
CODES = {"kyutai_speech_to_text": 33}

DROPPED = re.compile(
    r"(.*_token_ids?|.*_token_index|_name_or_path|transformers_version|architectures|dtype|id2label|label2id"
    r"|problem_type|return_dict|output_(hidden_states|attentions|router_logits)|chunk_size_feed_forward"
    r"|is_encoder_decoder|(vision|audio|codec|vq|vocoder|projector)_config|.*dropout.*|.*(_|^)pdrop|initializer.*"
    r"|vocabulary_map|summary_.*|time_step_\w+|pruned_heads|use_cache|image_\w+|video_\w+|.*_plan)"
)


def saved(config: Any) -> Any:
    """The config as it is saved, without what says nothing about the structure."""
    if isinstance(config, dict):
        return {str(k): saved(v) for k, v in config.items() if not DROPPED.fullmatch(str(k))}
    if isinstance(config, (list, tuple)):
        return [saved(item) for item in config]
    return config if isinstance(config, (int, float, str, bool, type(None))) else str(config)


def tensors(value: Any, name: str = "") -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor that a layer's cache holds, with the name of where it is."""
    if isinstance(value, torch.Tensor):
        if value.dim() and value.numel() and "position_ids" not in name:
            yield name, value
    elif isinstance(value, (dict, list, tuple)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            yield from tensors(item, f"{name}.{key}" if name else str(key))


def shapes(layer: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Of a layer's cache, the shape of each tensor, one that is held under two names (shared K and V) once."""
    found = {id(tensor): (name, tuple(tensor.shape)) for name, tensor in reversed(list(tensors(layer)))}
    return dict(reversed(list(found.values())))


def held(model: torch.nn.Module, config: Any, length: int) -> list[dict[str, Any]]:
    """What each layer's cache holds after a forward pass over so many tokens."""
    codes = CODES.get(config.model_type)
    ids = torch.zeros((1, length) if codes is None else (1, length, codes), dtype=torch.long)
    extra = {"cache": DynamicCache(config=config)} if config.model_type == "recurrent_gemma" else {}
    with torch.no_grad():
        out = model(input_ids=ids, use_cache=True, **extra)
    names = [name for name in ("cache", "past_key_values", "state") if out.get(name) is not None]
    if not names and not extra:
        raise ValueError("the model returns no cache")
    cache = out[names[0]] if names else extra["cache"]
    if isinstance(cache, list):  # states whose last dimension is the layer
        return [{f"state.{j}": s[..., i] for j, s in enumerate(cache)} for i in range(cache[0].shape[-1])]
    if hasattr(cache, "rnn_state"):
        return [{"state": state} for state in cache.rnn_state.values()]
    layers = [dict(vars(layer)) for layer in cache.layers]
    if hasattr(cache, "linear_cache"):
        layers += [{} for _ in range(len(cache.linear_cache) - len(layers))]
        for layer, state in zip(layers, cache.linear_cache, strict=False):
            layer["recurrent_states"] = state
    if extra:  # this one keeps its states in the modules
        for layer, block in zip(layers, model.model.layers, strict=True):
            for module in block.modules():
                for name in ("recurrent_states", "conv1d_state"):
                    if getattr(module, name, None) is not None:
                        layer[name] = getattr(module, name)
    return layers


def layer_entry(first: dict[str, Any], second: dict[str, Any], short: int, long: int) -> dict[str, Any]:
    """One layer's cache, from what it held after a short and after a long pass."""
    before, after = shapes(first), shapes(second)
    entry: dict[str, Any] = {"kind": "none", "elements_per_token": 0, "index_elements": 0}
    entry |= {"window": second.get("sliding_window"), "state_elements": 0, "conv_elements": 0}
    entry |= {"compressed": None, "keys": None, "values": None}
    for name, shape in after.items():
        size = torch.Size(shape).numel()
        if name in ("keys", "values"):
            entry["elements_per_token"] += size // shape[-2]
            entry[name] = f"{shape[1]}x{shape[3]}"
        elif name.startswith("conv"):
            entry["conv_elements"] += size
        elif before.get(name) == shape:
            entry["state_elements"] += size
        else:
            grown = size - torch.Size(before.get(name, (0,))).numel()
            if grown % (long - short) == 0 and not name.startswith("compressed"):
                entry["index_elements"] += grown // (long - short)
            else:
                entries = max(b - a for a, b in zip(before[name], shape, strict=True))
                text = f"{grown // entries}/{(long - short) // entries}"
                entry["compressed"] = f"{entry['compressed']} + {text}" if entry["compressed"] else text
    grows, constant = entry["elements_per_token"], entry["state_elements"] + entry["conv_elements"]
    if entry["compressed"]:
        entry["kind"] = "compressed"
    elif grows and constant:
        entry["kind"] = "hybrid_window" if entry["window"] else "hybrid"
    elif grows or entry["index_elements"]:
        entry["kind"] = "window" if entry["window"] else "full"
    elif constant:
        entry["kind"] = "state"
    if not grows:
        entry["window"] = None
    return entry


def grouped(layers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Equal layers counted, in the order of their first appearance."""
    counts: dict[str, int] = {}
    for layer in layers:
        text = json.dumps(layer)
        counts[text] = counts.get(text, 0) + 1
    return [{"count": count} | json.loads(text) for text, count in counts.items()]


def measure(model_type: str, changed: Changes) -> dict[str, Any]:
    """The entry of one model type, its default config changed as said."""
    whole = CONFIG_MAPPING[model_type](**changed)
    entry: dict[str, Any] = {"model_type": model_type, "changed": changed, "config": saved(whole.to_dict())}
    config = whole.get_text_config(decoder=True)
    if config.model_type not in MODEL_MAPPING_NAMES:
        config = whole
    small = SMALL.get(config.model_type)
    if small is not None:
        config = CONFIG_MAPPING[config.model_type](**(config.to_dict() | small))
    config._experts_implementation = "batched_mm"  # the one without a loop over the experts that were hit
    auto = AutoModelForCausalLM if config.model_type in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES else AutoModel
    entry["how"] = "meta forward" if small is None else f"real forward, smaller {', '.join(small)}"
    try:
        with torch.device("meta" if small is None else "cpu"):
            model = auto.from_config(config, attn_implementation="eager").eval()
            short, long = LENGTHS.get(config.model_type, (5, 9))
            first, second = held(model, config, short), held(model, config, long)
        pairs = zip(first, second, strict=True)
        entry["layers"] = grouped([layer_entry(a, b, short, long) for a, b in pairs])
        entry["why_not"] = None
    except Exception as error:  # whatever it is, it is this entry's answer
        text = re.sub(r" from '[^']*'", "", re.sub(r"\s+", " ", str(error)))[:160]
        entry |= {"layers": [], "how": None, "why_not": f"{type(error).__name__}: {text}"}
    return entry


def wanted() -> list[str]:
    """The model types of decoders of text."""
    text = {name for name in CONFIG_MAPPING_NAMES if name.endswith("_text") and name in MODEL_MAPPING_NAMES}
    causal = set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES) & set(CONFIG_MAPPING_NAMES)
    return sorted(name for name in causal | text | set(COMPOSITES) if not NOT_DECODERS.fullmatch(name))


def main(path: str, *types: str) -> None:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    masking_utils.find_packed_sequence_indices = lambda *_, **__: None
    entries = []
    for name in types or wanted():
        for changed in (COMPLETED.get(name, {}), *VARIED.get(name, [])):
            entries.append(measure(name, changed))
            if entries[-1]["why_not"]:
                print(name, entries[-1]["why_not"], file=sys.stderr, flush=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries) + "\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
