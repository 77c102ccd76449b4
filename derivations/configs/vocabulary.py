"""Which fields of a config.json mean what: names that say the same, and names that have no bearing on
attention.

Every structural field that is read is listed here, so that `--assume` knows its name. A field that is neither
listed nor without bearing is unknown; one whose name speaks of attention is refused, since what it changes is
not known either.
"""

from __future__ import annotations

import re

__all__ = ["ALIASES", "NESTED", "READ", "STRUCTURAL", "speaks_of_attention", "without_bearing"]

NESTED = ("text_config", "language_config", "llm_config", "language_model_config")
"""Where a model of several modalities keeps what the language model is made of."""

ALIASES: dict[str, tuple[str, ...]] = {
    "hidden_size": ("n_embd", "d_model", "model_dim"),
    "num_hidden_layers": ("n_layer", "n_layers", "num_layers"),
    "num_attention_heads": ("n_head", "n_heads", "num_heads", "attention_heads"),
    "num_key_value_heads": (
        "num_kv_heads", "n_head_kv", "kv_n_heads", "multi_query_group_num", "num_query_groups",
        "num_attention_groups", "n_kv_heads",
    ),
    "head_dim": ("attention_head_dim", "kv_channels", "d_head", "dim_head", "head_size"),
    "v_head_dim": ("value_head_dim",),
    "sliding_window": ("sliding_window_size", "window_size"),
    "layer_types": ("layers_block_type", "attention_layers"),
    "sliding_window_pattern": ("_sliding_window_pattern",),
    "num_nextn_predict_layers": ("mtp_num_hidden_layers", "num_mtp_layers"),
    "full_attention_interval": ("global_attn_every_n_layers", "layer_group_size"),
    "linear_conv_kernel_dim": ("short_conv_kernel_size",),
    "kv_source_layers": ("kv_source_layer_ids",),
    "mamba_n_heads": ("mamba_num_heads",),
    "mamba_d_head": ("mamba_head_dim",),
    "mamba_d_state": ("ssm_state_size",),
    "mamba_n_groups": ("n_groups", "mamba_ngroups"),
    "mamba_d_conv": ("conv_kernel",),
}  # fmt: skip
"""A field -> other names under which released files have it."""

STRUCTURAL = (
    "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim",
    "multi_query", "new_decoder_architecture", "multi_query_attention", "attn_config", "attn_type",
    "kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "qk_head_dim", "mla_use_nope",
    "mla_use_output_gate", "attn_output_gate", "attention_output_gate", "use_attention_gate",
    "index_n_heads", "index_head_dim", "index_topk", "indexer_types", "index_topk_freq",
    "index_skip_topk_offset",
    "index_topk_pattern",
    "o_lora_rank", "o_groups", "compress_ratios", "compress_rates", "share_q_dim",
    "sliding_window", "use_sliding_window", "max_window_layers", "sliding_window_pattern", "layer_types",
    "cache_implementation", "attn_logit_softcapping", "attention_types", "hybrid_layer_pattern",
    "attention_chunk_size", "no_rope_layers", "no_rope_layer_interval", "full_attention_interval",
    "hybrid_override_pattern", "attn_type_list", "attn_layer_period", "attn_layer_offset", "full_attn_idxs",
    "attn_layer_indices", "linear_attn_config", "num_kv_shared_layers", "kv_source_layers", "per_layer_config",
    "num_attention_heads_per_layer", "num_key_value_heads_per_layer",
    "global_head_dim", "num_global_key_value_heads", "swa_num_attention_heads", "swa_num_key_value_heads",
    "swa_head_dim", "swa_v_head_dim", "attention_k_eq_v",
    "linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim",
    "linear_conv_kernel_dim", "linear_num_heads", "linear_head_dim", "linear_attn_alpha_factor",
    "mamba_n_heads", "mamba_d_head", "mamba_d_state", "mamba_n_groups", "mamba_d_conv", "mamba_expand",
    "mamba_d_ssm", "state_size", "expand", "is_encoder_decoder", "add_cross_attention", "is_causal",
    "use_mla", "conv_L_cache", "kv_cache_dtype", "num_nextn_predict_layers",
    "num_mtp_modules", "use_mtp",
)  # fmt: skip
"""Every field that is read, under its first name."""

READ = frozenset(STRUCTURAL).union(*ALIASES.values())
"""Every name under which a field is read."""

_WITHOUT_BEARING = re.compile(
    r"""(
      model_type|architectures|auto_map|_.*|transformers_version|torch_dtype|dtype|.*_dtype|torchscript
    | use_cache|use_bfloat16|tie_.*|is_decoder|cross_attention_hidden_size
    | vocab_size.*|.*_vocab_size|.*vocab.*|.*token_?ids?
    | .*_token_index|.*_token_id_list|.*placeholder.*|bad_words_ids
    | .*token_?ids?_.*|bo[ia]_.*|eo[ia]_.*|.*_soft_tokens_per_image|mm_tokens_per_image
    | id2label|label2id|num_labels|problem_type|finetuning_task|task_specific_params|tokenizer_class|prefix
    | output_(?!gate).*|return_dict.*|num_logits_to_keep|keys_to_ignore.*|ignore_index|prediction_head
    | .*dropout.*|.*_pdrop|.*drop_?path.*|layerdrop|.*_drop
    | initializer_.*|init_std|init_method.*|.*_init|.*initializer.*
    | .*_eps|.*_epsilon|eps|norm_.*|.*_norm|.*norm_type|.*layernorm.*|layer_norm.*|qk_ln|.*_norm_.*
    | hidden_act|.*activation.*|.*_act|activation_.*|swiglu_.*|use_swiglu|glu_.*
    | intermediate_size.*|.*_intermediate_size.*|ffn_.*|.*_ffn_.*|ff_.*
    | dim_ff|dff|n_inner|mlp_.*|.*_mlp|.*_mlp_.*
    | .*bias.*|(?!.*share_expert).*expert.*|.*moe.*|.*router.*|.*routed.*
    | .*routing.*|n_group|topk_group|topk_method|use_grouped_topk
    | scoring_func|first_k_dense_replace|decoder_sparse_step|norm_topk_prob|ep_size|seq_aux|.*aux_loss.*
    | num_dense_layers|n_dense_layers|share_expert_dim|num_hash_layers|zero_expert_.*
    | max_position_embeddings|.*max_position_embeddings|n_positions|n_ctx|max_seq_len.*|model_max_length
    | seq_length|initial_context_length|max_sequence_length
    | rope_.*|rotary_.*|partial_rotary_factor|rotary_pct|.*_rope_theta|layer_rope_theta|rope|.*rope_interleave
    | position_embedding_type|position_biased_input|learned_pos_emb|alibi|alibi_.*|use_.*pos.*emb.*|no_bias
    | .*logit.*scal.*|.*_multiplier|.*_multipliers|.*_scale
    | scale_.*|.*softcap.*|logits_.*|embedding_.*|softmax_scale
    | query_pre_attn_scalar|attention_multiplier|qk_scale_factor|.*scal(e|ing)_factor|attn_scale|floor_scale
    | attn_temperature_tuning|log_scaling_.*|dim_model_base|mup_.*|.*_mup|.*_clip.*|clip_.*
    | attn_implementation|attn_impl|attention_softmax_in_fp32|reorder_and_upcast_attn|attn_uses_sequence_id
    | parallel_attn|use_parallel_residual|num_ln_in_parallel_attn|pretraining_tp|slow_but_exact
    | apply_residual_connection_post_layernorm|residual_.*|rescale_.*|use_qk_norm|qk_layernorm|use_post_norm
    | use_gemma_norm|.*sandwich.*
    | quantization_config|quant.*|.*compression_config|.*vision.*
    | .*audio.*|.*image.*|.*video.*|projector.*|mm_.*
    | .*_projector_.*|projectors_bias|word_embed_proj_dim|hidden_size_per_layer_input|.*altup.*|laurel_rank
    | chunk_size_feed_forward|chunk_size|mamba_chunk_size|block_(multiple|ffn|auto).*|time_step_.*|z_loss.*
    | mamba_(proj|conv)_bias|use_(mamba_kernels|mambapy|conv_bias|mem_eff_path|associative_scan)|.*_alpha_factor
    | .*_beta_factor|hc_.*|use_.*beta.*|kda_(safe_gate|lower_bound)
    | .*gate_lower_bound|linear_lower_bound|linear_(a_log|dt|allow)_.*|projection_dim
    | .*mtp_.*|.*_mtp|num_beams|num_beam_groups|do_sample|.*_penalty|temperature|top_[kp]|typical_p|max_length
    | min_length|early_stopping|no_repeat_ngram_size|encoder_no_repeat_ngram_size|num_return_sequences
    | remove_invalid_values|.*suppress_tokens|exponential_decay_length_penalty|tf_legacy_loss|summary_.*
    | classifier_.*|gradient_checkpointing|deepspeed.*|use_flash_attn|flash_attn.*|use_bidirectional_attention
    | use_double_wide_mlp|enable_moe_block|top_k_experts|block_size|mm_.*|attention_value_scale|n_shared_experts
    | attn_res_block_size|model_name|name|version|license|attention_k_eq_v_note
    )\Z""",
    re.VERBOSE,
)
_HARMLESS = frozenset(
    """
    n_group num_expert_group num_beam_groups top_k top_k_experts rotary_dim ffn_dim dim_ff word_embed_proj_dim
    projection_dim moe_k dim_model_base chunk_size_lm_head logits_mup_width_multiplier max_inference_chunksize
    add_bias_linear adapter_layer_norm_eps projection_layer_norm_eps layer_norm_eps layer_norm_epsilon
    layernorm_epsilon layer_norm_elementwise_affine do_layer_norm_before _remove_final_layer_norm
    apply_residual_connection_post_layernorm attention_bias attention_out_bias add_qkv_bias qkv_bias
    use_qkv_bias attention_dropout attn_pdrop attn_dropout attention_probs_dropout_prob layerdrop
    attention_in_multiplier attention_out_multiplier attention_multiplier attention_softmax_in_fp32
    scale_attention_softmax_in_fp32 attention_value_scale attn_scale attn_temperature_tuning
    attn_implementation attn_impl attn_uses_sequence_id scale_attn_by_inverse_layer_idx
    scale_attn_weights reorder_and_upcast_attn parallel_attn use_flash_attn num_ln_in_parallel_attn
    attn_logit_softcapping add_full_attention_sink_bias add_swa_attention_sink_bias learnable_sink_init
    key_multiplier clip_qkv query_pre_attn_scalar qk_layernorm use_qk_norm qk_norm qk_norm_type
    qk_scale_factor qk_ln attn_res_block_size activation_situ_linear_beta activation_sparsity_pattern
    hidden_size_per_layer_input vocab_size_per_layer_input laurel_rank gated_norm_rank hc_lowrank
    hc_sinkhorn_iters block_auto_adjust_ff_dim block_ffn_dim_multiplier block_multiple_of block_size
    chunk_size chunk_size_feed_forward conv_bias mamba_conv_bias use_conv_bias compress_rope_theta
    cross_attention_hidden_size decoder_sparse_step enable_moe_block expert_layer_offset
    expert_layer_period interleave_moe_layer_step first_k_dense_replace full_attn_alpha_factor
    full_attn_beta_factor linear_attn_beta_factor layernorm_full_attention_alpha
    layernorm_full_attention_beta layernorm_linear_attention_alpha layernorm_linear_attention_beta
    layernorm_mlp_alpha layernorm_mlp_beta linear_a_log_max linear_a_log_min linear_allow_neg_eigval
    linear_dt_init_floor linear_dt_max linear_dt_min linear_lower_bound gate_lower_bound
    use_full_rank_gate kda_safe_gate kda_lower_bound hidden_mamba_act mamba_hidden_act mamba_chunk_size
    mamba_norm_before_gate mamba_proj_bias mamba_rms_norm mamba_ssm_cache_dtype mamba_ssm_dtype
    mixer_rms_eps use_mamba_kernels use_mambapy inference_state_dtype ssm_in_multiplier ssm_multipliers
    ssm_out_multiplier time_step_rank index_share_for_mtp_iteration indexer_rope_interleave ignore_index
    image_token_index video_token_index boi_token_index eoi_token_index boa_token_index eoa_token_index
    img_token_compression_config vision_feature_layer layer_rope_theta rope_local_base_freq
    rope_scaling_layers lm_head_bias lm_head_multiplier mlp_layer_types mlp_only_layers
    latent_moe_use_norm moe_latent_size moe_layer_end_index moe_layer_freq moe_layer_interval
    moe_layer_start_index moe_layers moe_num_shared_experts moe_shared_expert_intermediate_size
    moe_shared_expert_overlap moe_topk shared_moe_mode n_shared_experts num_shared_experts
    num_local_experts share_expert_dim shared_expert_combination_strategy
    shared_expert_intermediate_size shared_expert_sink shared_experts_intermediate_size
    shared_intermediate_size norm_topk_prob topk_group topk_method use_grouped_topk num_dense_layers
    n_dense_layers num_hash_layers mtp_hidden_states_first mtp_hybrid_override_pattern mtp_layer_types
    mtp_layers_block_type mtp_local_layer_ids mtp_mlp_layer_types mtp_transformer_layers
    output_attentions output_hidden_states pruned_heads remove_invalid_values scale_depth use_cache
    use_unified_vision_chunk use_bidirectional_attention tie_word_embeddings
    """.split()  # noqa: SIM905
)
"""Names with a word that attention is described with, and no bearing all the same."""
_OF_ATTENTION = re.compile(
    r"kv|attn|attention|cach|window|head|quer|latent|lora|rank|shar|reuse|layer|state|conv|ssm|mamba|recur|loop"
    r"|block|chunk|spars|index|compress|pool|mixer|causal|depth|cross|memory|linear|local|global|hybrid|pattern"
    r"|interval|period|offset|topk|sink|hyena|rwkv|delta"
    r"|(?<![a-z])(key|value|qk|q|k|v|cla|yoco|ut|mla|mqa|gqa|moba|nsa|dim|dims|width|group|groups|stride|iterations"
    r"|multiquery|keys|values|steps|exit|passes|cycles|kda|gdn)(?![a-z])"
)


def without_bearing(name: str) -> bool:
    """Whether a field says nothing about what attention computes and keeps.

    A word that attention is described with outweighs any pattern: such a name has to be known as it stands.
    """
    if name in _HARMLESS:
        return True
    return _WITHOUT_BEARING.match(name) is not None and not speaks_of_attention(name)


def speaks_of_attention(name: str) -> bool:
    """Whether a field's name has a word that attention is described with."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return _OF_ATTENTION.search(words.replace("_", " ")) is not None
