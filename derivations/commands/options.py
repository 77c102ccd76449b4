"""What commands share: the options of a study and the formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..errors import InputError
from .output import notice

__all__ = [
    "FORMAT_FLAGS",
    "bundled",
    "format_options",
    "pick_format",
    "study_options",
]

F = TypeVar("F", bound=Callable[..., Any])
FORMAT_FLAGS = ("latex", "markdown", "html", "notebook", "json", "text")

_SCOPE_HELP = "core, attention, attention+weights, kernel or layer"
_NAMES: dict[str, str] = {
    "order": "Order to derive: a name, `best`, `direct`, `all`, or words such as form=K,avoid=V.",
    "pairs": "full (the default) or causal.",
    "traffic": "fused (the default), two-pass or unfused.",
    "formed": "Formed keys and values: read (the default), write+read, streamed or cached.",
    "kept-rows": "With --formed cached, the shared row: copied (the default) or once.",
    "elementwise": "Elementwise products: count (the default) or omit.",
    "unit": "flops (the default) or macs.",
    "notation": "Letters of a document: article, note or card.",
}


def bundled(kind: str) -> Callable[[Any, Any, str], list[str]]:
    """Shell completion from the names of a kind."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        from ..resources import names

        return [name for name in names("models", kind) if name.startswith(incomplete)]

    return complete


def _values(knob: str) -> Callable[[Any, Any, str], list[str]]:
    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        from ..conventions import KNOBS

        return [value for value in KNOBS[knob].values if value.startswith(incomplete)]

    return complete


KNOBS = ("scope", "pairs", "traffic", "formed", "kept-rows", "elementwise", "unit")


def study_options(
    order: bool = True,
    gpu: bool = True,
    phase: str = "decode",
    scope: str = "core",
    knobs: tuple[str, ...] = KNOBS,
    sizes: bool = True,
    model: bool = True,
) -> Callable[[F], F]:
    """The options that say what is asked of a variant; `phase` and `scope` are the command's defaults."""

    def decorate(function: F) -> F:
        options = []
        if order:
            options.append(click.option("--order", metavar="NAME", multiple=True, help=_NAMES["order"]))
        options += [
            click.option(
                "--phase",
                metavar="PHASE",
                shell_complete=_values("phase"),
                help=f"decode (S = 1), verify (S free) or prefill (S = L); by default {phase}.",
            )
        ]
        given = [
            click.option(
                "--model", metavar="NAME|FILE", shell_complete=bundled("checkpoints"),
                help="Take the sizes of a released model: `derive list models`, or a YAML file.",
            ),
            click.option(
                "--set", "assignments", metavar="NAME=VALUE", multiple=True,
                help="Give a size, over the model's; repeatable. 128K means 131072.",
            ),
        ]  # fmt: skip
        options += (given if model else given[1:]) if sizes else []
        if gpu:
            options.append(
                click.option(
                    "--gpu",
                    metavar="NAME|FILE",
                    shell_complete=bundled("hardware"),
                    help="Hold the intensity against a GPU's ridge: `derive list gpus`, or a YAML file.",
                )
            )
        helps = {**_NAMES, "scope": f"{_SCOPE_HELP}; by default {scope}."}
        for knob in knobs:
            options.append(
                click.option(
                    f"--{knob}",
                    metavar=knob.upper(),
                    shell_complete=_values(knob),
                    help=helps[knob],
                )
            )
        if "scope" in knobs:
            options.append(click.option("--grows", is_flag=True, help="Keep only terms with the context axis."))
        options += [
            click.option("--no-cache", is_flag=True, help="Treat caches as plain intermediates."),
            click.option(
                "--notation",
                metavar="NAME",
                shell_complete=bundled("notations"),
                help=_NAMES["notation"],
            ),
        ]
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def format_options(template: bool = True, notebook: bool = False, data: bool = True) -> Callable[[F], F]:
    """The output formats and where to write; what makes no notebook, or has no JSON, offers none."""

    def decorate(function: F) -> F:
        options = [
            click.option("--text", "text", is_flag=True, help="Plain text (the default)."),
            click.option("--markdown", is_flag=True, help="Markdown that GitHub shows right."),
            click.option("--latex", is_flag=True, help="A LaTeX document."),
            click.option("--html", is_flag=True, help="One HTML page that needs nothing else."),
        ]
        if notebook:
            options.append(click.option("--notebook", is_flag=True, help="A Jupyter notebook that runs."))
        if data:
            options.append(
                click.option("--json", "json", is_flag=True, help="JSON, a stable contract (schema derive/1).")
            )
        if template:
            options.append(
                click.option(
                    "--template",
                    metavar="FILE",
                    help="A Jinja template of your own; see docs/templates.md.",
                )
            )
        options.append(
            click.option("-o", "--output", metavar="FILE", help="Write to a file, whole or not at all.")
        )
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def pick_format(flags: dict[str, Any]) -> str:
    """The one format asked for; removes the flags. Raises InputError for two."""
    chosen = [f"--{name}" for name in FORMAT_FLAGS if flags.pop(name, False)]
    if flags.get("template"):
        chosen.append("--template")
    if len(chosen) > 1:
        raise InputError(f"{' and '.join(chosen)} were both given; choose one output format")
    return chosen[0].removeprefix("--") if chosen else "text"


def conventions_of(flags: dict[str, Any], scope: str, phase: str = "decode") -> Any:
    """The conventions of the flags, with a command's own defaults; removes the flags."""
    from ..conventions import Conventions

    values: dict[str, str] = {
        "phase": flags.pop("phase", None) or phase,
        "scope": flags.pop("scope", None) or scope,
    }
    for knob in ("pairs", "traffic", "formed", "kept_rows", "elementwise", "unit"):
        value = flags.pop(knob, None)
        if value is not None:
            values[knob] = value
    if flags.pop("grows", False):
        values["grows"] = "yes"
    if flags.pop("no_cache", False):
        values["caches"] = "none"
    return Conventions(**values)


def own_sizes(flags: dict[str, Any], variant: Any) -> list[str]:
    """The assignments that are about symbols of one of several variants, as they were given."""
    return [pair for pair in flags["assignments"] if pair.partition("=")[0].strip() in variant.symbols]


def study_of(variant: Any, conventions: Any, flags: dict[str, Any], quiet: bool = False) -> Any:
    """The study of the flags: sizes of the model, then those set by hand."""
    from ..checkpoints import load_checkpoint
    from ..derivation import Study
    from ..dims import parse_assignments
    from ..hardware import load_accelerator
    from ..library import check_checkpoint
    from ..resources import is_path
    from .deployment import check_prefix, deployment_of

    deployed = deployment_of(flags)
    model = load_checkpoint(flags["model"]) if flags.get("model") else None
    values = model.values(variant.symbols) if model is not None else {}
    own = parse_assignments(flags.get("assignments") or (), variant.symbols)
    values.update(own)
    if model is not None and is_path(flags["model"]):
        check_checkpoint(model)
    gpu = load_accelerator(flags["gpu"]) if flags.get("gpu") else None
    if gpu is not None:
        gpu.ridge(deployed["compute"])  # the type of the arithmetic must be one that it has
    check_prefix(values, 1)
    study = Study(variant, conventions, values, model, gpu, **deployed)
    if model is not None and not quiet:
        _left_out(variant, model)
        unknown_sizes(study)
    return study


def _left_out(variant: Any, model: Any) -> None:
    left_out = [o for o in model.options if o not in variant.options and o in variant.all_options]
    if left_out:
        whole = [o for o in variant.all_options if o in left_out or o in variant.options]
        them = "it" if len(left_out) == 1 else "them"
        notice(
            f"{model.title} also has {' and '.join(left_out)}, which this derivation leaves out; "
            f"{'+'.join([variant.base, *whole])} has {them}"
        )


def unknown_sizes(study: Any) -> None:
    """Say which sizes the model does not give."""
    missing = [n for n in study.variant.symbols if n not in study.values and n not in ("L", "S", "B")]
    if missing:
        stay = "it stays a symbol" if len(missing) == 1 else "they stay symbols"
        notice(f"{study.model.title} gives no {', '.join(missing)} for {study.variant.name}; {stay}")
