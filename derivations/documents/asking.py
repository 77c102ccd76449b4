"""What entries of a document's file ask: settings, places, texts of ours, other quantities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ..checkpoints import load_checkpoint
from ..conventions import KNOBS
from ..dims import parse_value
from ..errors import unknown
from ..hardware import load_accelerator
from ..layouts import LAYOUTS
from ..poly import Coefficient
from ..yamlfile import Entry
from .described import PARTS, one_of, words_of
from .document import Instead
from .formulas import check_formula
from .given import given
from .setting import Setting
from .sheet import Sheet

__all__ = ["Asking"]

_UNDER = ("model", "gpu", "set", "tp", "layout", "without", "options", "layers", *KNOBS)
_TYPED = re.compile(r"(?<![A-Za-z0-9_.{-])\d")


@dataclass(slots=True)
class Asking:
    """Reads what one document asks of its quantities."""

    name: str
    """The document."""
    sheet: Sheet
    """Its quantities."""
    letters: dict[str, str] = field(default_factory=dict)
    """Its letters -> symbols."""

    def id(self, *parts: str) -> str:
        """The id of a claim."""
        return "-".join((self.name, *(part for part in parts if part)))

    def formula(self, entry: Entry) -> Entry:
        """A formula whose names are all known. Raises InputError for one that is not."""
        check_formula(entry, self.sheet.names())
        return entry

    def label(self, entry: Entry, setting: Setting) -> str:
        """A label, whose holes are sizes of a setting."""
        text = self.ours(entry, 80)
        holes = set(re.findall(r"\{([^{}]*)\}", text))
        for hole in sorted(holes - set(given(holes, setting))):
            raise entry.fail(f"{{{hole[:30]}}} is no size that has a number here")
        return text

    def ours(self, entry: Entry, longest: int = 400) -> str:
        """A text of ours, which holds no figures: those are derived."""
        text = entry.text(longest)
        bare = re.sub(r"\{[^{}]*\}|section [A-Z0-9.]+|equation \d+", "", text)
        if _TYPED.search(bare):
            raise entry.fail("a figure typed by hand; write {id of a claim} for its derived value")
        return text

    def setting(self, entry: Entry | None, base: Setting) -> Setting:
        """A setting that differs from another one; the same where the entry is missing."""
        if entry is None:
            return base
        fields = entry.mapping(allowed=_UNDER)
        layers, layout = fields.get("layers"), fields.get("layout")
        return replace(
            base,
            model=_loaded(fields.get("model"), load_checkpoint) or base.model,
            gpu=_loaded(fields.get("gpu"), load_accelerator) or base.gpu,
            sizes={**base.sizes, **dict(self._sizes(fields.get("set")))},
            knobs={
                **base.knobs,
                **{k: one_of(fields[k], f"value of {k}", v.values) for k, v in KNOBS.items() if k in fields},
            },
            options={**base.options, **dict(self._options(fields.get("options")))},
            without=base.without | words_of(fields.get("without"), "stage or class", PARTS),
            tp=fields["tp"].integer(1, 4096) if "tp" in fields else base.tp,
            layout=_layout(layout) if layout is not None else base.layout,
            layers=one_of(layers, "value of layers", ("attention", "all"))
            if layers is not None
            else base.layers,
        )

    def _options(self, entry: Entry | None) -> Iterator[tuple[str, bool]]:
        known = {option for variant in self.sheet.variants.values() for option in variant.all_options}
        for option, kept in entry.mapping().items() if entry is not None else ():
            if option not in known:
                raise unknown("option", option, known, kept.place)
            if not isinstance(kept.value, bool):
                raise kept.fail("an option is put in (true) or left out (false)")
            yield option, kept.value

    def _sizes(self, entry: Entry | None) -> Iterator[tuple[str, Coefficient]]:
        for symbol, value in entry.mapping().items() if entry is not None else ():
            if symbol not in self.sheet.symbols:
                raise unknown("symbol", symbol, self.sheet.symbols, value.place)
            with value.blamed():
                number = str(value.value) if isinstance(value.value, float) else value.text()
                # a ridge need not be whole, and is read like a width in bytes
                whole = symbol not in ("b", "R")
                yield symbol, parse_value(symbol if whole else "b", number, whole, "")

    def places(self, entry: Entry | None, base: Setting) -> tuple[tuple[str, Setting], ...]:
        """The places of `over`: settings, each with what sets it apart from the others in words."""
        items = entry.items() if entry is not None else []
        if entry is not None and not items:
            raise entry.fail("the list is empty; leave it out where there is one place only")
        settings = [self.setting(item, base) for item in items]
        found = {_apart(item): setting for item, setting in zip(items, settings, strict=True)}
        if entry is not None and len(found) < len(items):
            raise entry.fail("a place stands twice")
        return tuple(found.items())

    def instead(self, entry: Entry, base: Setting) -> Iterator[Instead]:
        """Other quantities that a figure may have been taken for."""
        for words, item in entry.mapping().items():
            fields = item.mapping(allowed=("under",), required=("value",))
            yield Instead(words, self.formula(fields["value"]), self.setting(fields.get("under"), base))

    def numbers(self, entry: Entry, base: Setting) -> Iterator[tuple[str, tuple[Entry, Setting]]]:
        """Numbers of ours: name, formula, setting."""
        for name, item in entry.mapping().items():
            fields = item.mapping(allowed=("under",), required=("value",))
            yield name, (self.formula(fields["value"]), self.setting(fields.get("under"), base))


def _apart(entry: Entry) -> str:
    """What a place says of its own: sizes, an accelerator, a model."""
    fields = entry.mapping()
    sizes = fields["set"].mapping() if "set" in fields else {}
    words = [f"at {' and '.join(f'{n} = {_grouped(v)}' for n, v in sizes.items())}"] if sizes else []
    words += [f"on {load_accelerator(fields['gpu'].text()).title}"] if "gpu" in fields else []
    words += [f"on the widths of {load_checkpoint(fields['model'].text()).title}"] if "model" in fields else []
    rest = [f"{key} {_plain(item)}" for key, item in fields.items() if key not in ("set", "gpu", "model")]
    return ", ".join([*words, *rest])


def _grouped(entry: Entry) -> str:
    return f"{entry.value:,}" if isinstance(entry.value, int | float) else entry.text()


def _plain(entry: Entry) -> str:
    """A value in words."""
    if isinstance(entry.value, dict):
        return " and ".join(f"{name} {_plain(item)}" for name, item in entry.value.items())
    if isinstance(entry.value, list):
        return " and ".join(map(_plain, entry.value))
    return {True: "in", False: "out"}[entry.value] if isinstance(entry.value, bool) else entry.text()


def _loaded(entry: Entry | None, loader: Callable[[str], object]) -> str:
    """A name that can be loaded."""
    if entry is None:
        return ""
    with entry.blamed():
        loader(entry.text())
    return entry.text()


def _layout(entry: Entry) -> str:
    """The name of a layout, or widths for tensors, which are checked against a variant."""
    return entry.text(80) if "=" in entry.text(80) else one_of(entry, "layout", LAYOUTS)
