"""What entries of a document's file ask: settings, places, texts of ours, other quantities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from ..checkpoints import load_checkpoint
from ..conventions import KNOBS
from ..dims import parse_value
from ..errors import unknown
from ..hardware import load_accelerator
from ..poly import Coefficient
from ..yamlfile import Entry
from .document import Instead
from .formulas import check_formula
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
        changed: dict[str, object] = {}
        for key, loader in (("model", load_checkpoint), ("gpu", load_accelerator)):
            if key in fields:
                with fields[key].blamed():
                    loader(fields[key].text())
                changed[key] = fields[key].text()
        sizes: dict[str, Coefficient] = dict(base.sizes)
        for symbol, value in (fields["set"].mapping() if "set" in fields else {}).items():
            if symbol not in self.sheet.symbols:
                raise unknown("symbol", symbol, self.sheet.symbols, value.place)
            with value.blamed():
                number = str(value.value) if isinstance(value.value, float) else value.text()
                sizes[symbol] = parse_value(symbol, number, symbol not in ("b", "R"), "")
        knobs = dict(base.knobs)
        for key in KNOBS:
            if key in fields:
                knobs[key] = _one_of(fields[key], f"value of {key}", KNOBS[key].values)
        options = dict(base.options)
        for option, kept in (fields["options"].mapping() if "options" in fields else {}).items():
            options[option] = kept.value is True
        if "without" in fields:
            changed["without"] = base.without | set(fields["without"].texts())
        if "tp" in fields:
            changed["tp"] = fields["tp"].integer(1, 4096)
        if "layers" in fields:
            changed["layers"] = _one_of(fields["layers"], "value of layers", ("attention", "all"))
        if "layout" in fields:
            changed["layout"] = fields["layout"].text(80)
        return replace(base, sizes=sizes, knobs=knobs, options=options, **changed)  # type: ignore[arg-type]

    def places(self, entry: Entry | None, base: Setting) -> tuple[tuple[str, Setting], ...]:
        """The places of `over`: settings, each with what sets it apart from the others in words."""
        items = entry.items() if entry is not None else []
        settings = [self.setting(item, base) for item in items]
        return tuple((_apart(item), setting) for item, setting in zip(items, settings, strict=True))

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
    rest = [f"{key} {item.value}" for key, item in fields.items() if key not in ("set", "gpu", "model")]
    return ", ".join([*words, *rest])


def _grouped(entry: Entry) -> str:
    return f"{entry.value:,}" if isinstance(entry.value, int) else entry.text()


def _one_of(entry: Entry, what: str, known: Iterable[str]) -> str:
    if entry.text() not in known:
        raise unknown(what, entry.text(), known, entry.place)
    return entry.text()
