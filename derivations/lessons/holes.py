"""Holes of a lesson: what stands between braces, checked against the lesson's quantities.

{F_absorb}            the closed form of a quantity, or of any formula of quantities and sizes
{F_absorb =}          the same after its name and an equals sign
{F_absorb #}          its number with a unit, at the lesson's own sizes
{F_absorb ## glm}     every digit of it, at the sizes of the setting `glm`
{I = #}               name, closed form and number
{model kimi-k3}       the title of a released model;  {gpu h200-sxm} of an accelerator
{tensor mla W_UK}     a tensor of a variant, as formulas write it
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..checkpoints import load_checkpoint
from ..documents.formulas import check_formula
from ..documents.setting import Setting
from ..documents.sheet import Sheet
from ..errors import Place, unknown
from ..hardware import load_accelerator
from ..yamlfile import Entry
from .lesson import Hole, HoleKind, Show

__all__ = ["HOLE", "HoleReader"]

HOLE = re.compile(r"\{([^{}]*)\}")
"""A hole in a line."""
_FORMULA = re.compile(
    r"(?P<formula>[^=#]+?)\s*(?P<named>=)?\s*(?:(?P<hash>##?)\s*(?P<setting>[a-z][a-z0-9-]*)?)?"
)


class HoleReader:
    """Reads the holes of one lesson."""

    def __init__(self, sheet: Sheet, settings: Mapping[str, Setting]) -> None:
        self.sheet, self.settings = sheet, settings

    def read(self, text: str, place: Place) -> Hole:
        """One hole, from the text between its braces. Raises InputError with the place."""
        entry = Entry(text.strip(), place)
        word, _, rest = entry.text(200).partition(" ")
        if word in ("model", "gpu") and rest:
            return self._titled(HoleKind(word), Entry(rest, place))
        if word == "tensor":
            return self._tensor(Entry(rest, place))
        hit = _FORMULA.fullmatch(entry.text(200))
        if hit is None:
            raise entry.fail(f"{{{text[:60]}}} is no hole; write {{F}}, {{F =}}, {{F #}} or {{F = # setting}}")
        formula = Entry(hit["formula"], place)
        check_formula(formula, self.sheet.names())
        if hit["setting"] and hit["setting"] not in self.settings:
            raise unknown("setting", hit["setting"], self.settings, place)
        show = {None: Show.CLOSED, "#": Show.NUMBER, "##": Show.EXACT}[hit["hash"]]
        return Hole(HoleKind.FORMULA, formula, show, hit["named"] is not None, hit["setting"] or "")

    def _titled(self, kind: HoleKind, entry: Entry) -> Hole:
        with entry.blamed():
            (load_checkpoint if kind is HoleKind.MODEL else load_accelerator)(entry.text(80))
        return Hole(kind, entry)

    def _tensor(self, entry: Entry) -> Hole:
        variant, _, tensor = entry.text(120).partition(" ")
        with entry.blamed():
            known = self.sheet.variant(variant).tensors
        if tensor not in known:
            raise unknown(f"tensor of {variant}", tensor, known, entry.place)
        return Hole(HoleKind.TENSOR, entry)
