"""Dimension symbols: name, LaTeX, meaning, least value; their numbers; and their sympy side.

The one place that makes a sympy symbol or reads a number a user typed for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .atoms import atom_of
from .errors import InputError, Place, unknown
from .poly import Coefficient, Poly

if TYPE_CHECKING:
    import sympy

__all__ = [
    "DEPLOYED",
    "LARGEST",
    "STANDARD",
    "Dim",
    "check_latex",
    "latex_of_name",
    "parse_assignments",
    "parse_value",
    "symbol_text",
    "to_sympy",
]

LARGEST = 10**15
"""No dimension of an attention layer comes near; beyond it the input is taken for a slip."""


@dataclass(frozen=True, slots=True)
class Dim:
    """A size symbol."""

    name: str
    """Plain name, as in YAML, `--set` and JSON: `d_model`."""
    latex: str
    """How it is set in a formula."""
    meaning: str
    """One phrase, for the table of symbols."""
    integral: bool = True
    """False only for widths in bytes, which may be a half."""


def _standard(*rows: tuple[str, str, str]) -> dict[str, Dim]:
    return {name: Dim(name, latex, meaning, name != "b") for name, latex, meaning in rows}


STANDARD: Mapping[str, Dim] = _standard(
    ("L", "L", "context tokens, the new ones included"),
    ("S", "S", "query tokens in this step"),
    ("B", "B", "sequences in the batch"),
    ("H", "H", "attention heads"),
    ("H_q", "H_q", "query heads"),
    ("H_kv", r"H_{\mathrm{kv}}", "key/value heads"),
    ("d_model", r"d_{\mathrm{model}}", "model width"),
    ("d_k", "d_k", "key width of a head, without RoPE"),
    ("d_v", "d_v", "value width of a head"),
    ("d_c", "d_c", "width of the key/value latent"),
    ("d_r", "d_r", "width of the RoPE key"),
    ("d_q", "d_q", "width of the query latent"),
    ("b", "b", "bytes per element"),
    ("b_M", r"b_{\mathrm{M}}", "bytes per element of a state, often 4"),
)
"""The symbols every variant shares; a variant may declare more."""

DEPLOYED: Mapping[str, Dim] = _standard(
    ("L_p", r"L_{\mathrm{p}}", "tokens of the prefix that all sequences of a batch share"),
    ("R", "R", "ridge of the accelerator, FLOPs per byte"),
)
"""Symbols that come with a deployment."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*\Z")
_LATEX_TOKEN = re.compile(r"\\([A-Za-z]+)|[A-Za-z0-9_^{} ]")
_GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "varepsilon",
        "zeta",
        "eta",
        "theta",
        "vartheta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "varphi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
    ]
)


def check_latex(text: str, place: Place) -> str:
    """`text` if it is LaTeX of the allowed kind, else InputError.

    Allowed are letters, digits, `_ ^ { }`, Greek letters and `\\mathrm{..}`, put together so that TeX
    sets them: enough for a symbol, too little to change a document.
    """
    if not text.strip() or len(text) > 60:
        raise InputError("a LaTeX text is empty or longer than 60 characters", place)
    tokens, position = [], 0
    while position < len(text):
        hit = _LATEX_TOKEN.match(text, position)
        command = hit.group(1) if hit else None
        if hit is None or (command and command != "mathrm" and command not in _GREEK):
            raise InputError(
                f"LaTeX {_shown(text[:40])} is not allowed at {_shown(text[position : position + 12])}; "
                "use letters, digits, _ ^ { }, Greek letters and \\mathrm{..}",
                place,
            )
        if hit.group() != " ":
            tokens.append(hit.group())
        position = hit.end()
    if _group(tokens, 0, 0) != len(tokens):
        raise InputError(
            f"LaTeX {_shown(text[:40])} cannot be set: braces must match, _ and ^ need something on both "
            "sides, each once",
            place,
        )
    return text


def _shown(text: str) -> str:
    """The text with what a terminal would act on written as an escape."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _group(tokens: list[str], position: int, depth: int) -> int:
    """Where a run of symbols with sub- and superscripts ends; -1 when it is not one."""
    start = position
    while position < len(tokens) and tokens[position] != "}":
        position = _nucleus(tokens, position, depth)
        scripts = set()
        while 0 <= position < len(tokens) and tokens[position] in ("_", "^"):
            if tokens[position] in scripts:
                return -1
            scripts.add(tokens[position])
            position = _nucleus(tokens, position + 1, depth)
        if position < 0:
            return -1
    return position if position > start else -1


def _nucleus(tokens: list[str], position: int, depth: int) -> int:
    """Where one symbol, or one group in braces, ends; -1 when there is none."""
    if position < 0 or position >= len(tokens) or tokens[position] in ("_", "^", "}") or depth > 8:
        return -1
    if tokens[position] == "\\mathrm":
        return _nucleus(tokens, position + 1, depth) if tokens[position + 1 : position + 2] == ["{"] else -1
    if tokens[position] != "{":
        return position + 1
    end = _group(tokens, position + 1, depth + 1)
    return end + 1 if 0 <= end < len(tokens) else -1


def latex_of_name(name: str) -> str:
    """LaTeX for a plain name: a subscript of one character is italic, a longer one upright."""
    base, _, sub = name.partition("_")
    if base in _GREEK:
        base = f"\\{base}"
    elif len(base) > 1:
        base = f"\\mathrm{{{base}}}"
    if not sub:
        return base
    sub = sub.replace("_", ",")
    return f"{base}_{sub}" if len(sub) == 1 else f"{base}_{{\\mathrm{{{sub}}}}}"


def is_name(text: str) -> bool:
    """True for a plain identifier: letters, digits and single underscores, a letter first."""
    return bool(_NAME.match(text)) and len(text) <= 40


_SUFFIX = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_NUMBER = re.compile(r"([+-]?[0-9]+(?:_[0-9]+)*)(\.[0-9]+)?([KMGkmg]?)\Z")


def parse_value(name: str, text: str, size: bool = False, option: str = "--set ") -> Coefficient:
    """The number a user typed for symbol `name`: `128K` is 131072; `option` is what it was given to.

    Raises InputError for anything but a whole number of at least 1 (`b` may be a decimal, unless it is
    a `size`).
    """
    given = f"{option}{name}={text[:40]}"
    example = f"{name}=2" if name == "b" and not size else f"{name}=4096 or {name}=128K"
    hit = _NUMBER.match(text.strip())
    if not hit or len(text) > 40:
        raise InputError(f"{given}: not a number; write for example {example}")
    whole, decimals, suffix = hit.groups()
    value = Fraction(whole.replace("_", "") + (decimals or "")) * _SUFFIX[suffix.upper()]
    if name == "b" and not size:
        if value <= 0 or value > 1024:
            raise InputError(f"{given}: bytes per element must be above 0; BF16 is b=2")
        return value.numerator if value.denominator == 1 else value
    if value.denominator != 1:
        raise InputError(f"{given}: must be a whole number, such as {example}")
    return check_size(name, value.numerator, given)


def check_size(name: str, value: int, where: str) -> int:
    """`value` if it can be the size called `name`: at least 1 and not absurd."""
    if value < 1:
        raise InputError(f"{where}: {name} must be at least 1")
    if value > LARGEST:
        raise InputError(f"{where}: {name} is larger than {LARGEST:.0e}; surely a slip")
    return value


def parse_assignments(
    texts: Iterable[str], known: Iterable[str], sizes_only: bool = False
) -> dict[str, Coefficient]:
    """`NAME=VALUE` texts as numbers. Raises InputError for a name not in `known` or given twice.

    With `sizes_only` the name `b` is a size like any other, not a width in bytes.
    """
    names = set(known)
    values: dict[str, Coefficient] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"--set {text[:40]}: write it as NAME=VALUE, such as L=8192")
        if name not in names:
            raise unknown("symbol", name, names)
        if name in values:
            raise InputError(f"--set {name} is given twice")
        values[name] = parse_value(name, value, sizes_only)
    return values


def symbol(name: str) -> sympy.Symbol:
    """The sympy symbol for a size: positive, and an integer unless it is a width in bytes."""
    from sympy import Symbol

    if STANDARD[name].integral if name in STANDARD else True:
        return Symbol(name, positive=True, integer=True)
    return Symbol(name, positive=True)


def _sympy_of_name(name: str) -> Any:
    from sympy import Integer, Min
    from sympy.functions.elementary.integers import ceiling, floor

    atom = atom_of(name)
    if atom is None:
        return symbol(name)
    arguments = [to_sympy(argument) for argument in atom.arguments]
    if atom.function == "min":
        return Min(*arguments)
    rounding = ceiling if atom.function == "ceil" else floor
    return rounding(arguments[0] / (arguments[1] if len(arguments) > 1 else Integer(1)))


def to_sympy(poly: Poly) -> sympy.Expr:
    """The sympy expression of `poly`: positive integer symbols, Min, ceiling and floor."""
    from sympy import Add, Integer, Mul, Pow, Rational

    known: dict[str, Any] = {name: _sympy_of_name(name) for name in poly.names()}
    terms = []
    for powers, coefficient in poly.powers():
        number = (
            Integer(coefficient)
            if isinstance(coefficient, int)
            else Rational(coefficient.numerator, coefficient.denominator)
        )
        terms.append(Mul(number, *(Pow(known[n], e) for n, e in powers.items())))
    return Add(*terms)


def symbol_text(values: Mapping[str, Coefficient]) -> str:
    """`L=8192, S=1` for messages, in the order of the standard table, then by name."""
    rank = {name: index for index, name in enumerate(STANDARD)}
    ordered = sorted(values, key=lambda name: (rank.get(name, len(rank)), name))
    return ", ".join(f"{name}={values[name]}" for name in ordered)
