"""Certificates that one polynomial is never strictly the smallest of several.

All symbols are at least 0, so a polynomial without a negative coefficient is nowhere negative. Given
`D_j = target - rival_j`, weights `w_j >= 0` that sum to 1 and leave `sum_j w_j D_j` without a negative
coefficient show that an average of the rivals is nowhere dearer than the target, hence some rival is
not. `combine` finds such weights, or proves that there are none; `check` tests them with no more than
additions.

With a row of numbers `a` for each monomial the question is a linear program. Put `z = sum x`: weights
exist exactly when the least `z` with `a x + z >= 1` for every row and `x >= 0` is at most 1, for then
`a x >= 1 - z >= 0`. The dual, `max sum y` with `sum_i (a_i + 1) y_i <= 1` in every column and `y >= 0`,
is feasible at 0. A simplex walks from there, on integers: the whole table has one denominator, the last
pivot, and each division is exact. Its multipliers are the `x`. It can stop before the optimum: as soon
as `z` is above 1, since it only grows, and as soon as the multipliers themselves are weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd, isqrt, lcm
from operator import mul

from .errors import DeriveError
from .poly import Coefficient

__all__ = ["TooLarge", "check", "combine"]

_Row = tuple[int, ...]


class TooLarge(DeriveError):
    """The table has more entries than allowed; nothing is known about the weights."""


def check(columns: Sequence[Mapping[int, Coefficient]], weights: Sequence[Coefficient]) -> bool:
    """Whether `weights` are a certificate: none negative, not all 0, and no coefficient of the sum negative."""
    if len(columns) != len(weights) or not any(weights) or min(weights) < 0:
        return False
    below = lcm(*(weight.denominator for weight in weights))
    sums: dict[int, Coefficient] = {}
    for column, weight in zip(columns, weights, strict=True):
        whole = int(weight * below)  # whole numbers add up sooner, and the sign is the same
        if not whole:
            continue
        for monomial, coefficient in column.items():
            sums[monomial] = sums.get(monomial, 0) + whole * coefficient
    return all(value >= 0 for value in sums.values())


def combine(columns: Sequence[Mapping[int, Coefficient]], limit: int = 60_000) -> tuple[Fraction, ...] | None:
    """Weights, one for each column, summing to 1, that combine them to no negative coefficient.

    None is a proof that there are none. Raises TooLarge when, with the obvious struck out, rows times
    columns or columns times columns (the size of the table) is above `limit`.
    """
    kept, sparse = _strike_out(columns)
    needy = {j for row in sparse for j, value in row.items() if value < 0}
    alone = next((j for j in kept if j not in needy), None)
    if alone is not None:
        return tuple(Fraction(j == alone) for j in range(len(columns)))
    if not kept:
        return None
    rows = list(dict.fromkeys(_whole(row, kept) for row in sparse))
    if max(len(rows), len(kept)) * len(kept) > limit:
        raise TooLarge(f"{len(rows)} monomials in {len(kept)} columns, {limit} entries allowed")
    multipliers = _solve(rows, len(kept))
    if multipliers is None:
        return None
    found, total = dict(zip(kept, multipliers, strict=True)), sum(multipliers)
    return tuple(Fraction(found.get(j, 0), total) for j in range(len(columns)))


def _strike_out(
    columns: Sequence[Mapping[int, Coefficient]],
) -> tuple[list[int], list[dict[int, Coefficient]]]:
    """The columns that may have weight, and the rows (column -> coefficient) that may become negative.

    A row with no positive entry gives no weight to the columns where it is negative; without them
    other rows may lose their positive entries.
    """
    table: dict[int, dict[int, Coefficient]] = {}
    for j, column in enumerate(columns):
        for monomial, value in column.items():
            if value:
                table.setdefault(monomial, {})[j] = value
    kept = set(range(len(columns)))
    rows = list(table.values())
    while True:
        rows = [row for row in rows if min(row.values(), default=0) < 0]
        barred = {j for row in rows if max(row.values()) < 0 for j in row}
        if not barred:
            return sorted(kept), rows
        kept -= barred
        rows = [{j: value for j, value in row.items() if j not in barred} for row in rows]


def _whole(row: Mapping[int, Coefficient], kept: Sequence[int]) -> _Row:
    """The row times the positive number that makes it coprime integers."""
    below = lcm(*(value.denominator for value in row.values()))
    values = [(row.get(j, 0) * below).numerator for j in kept]
    shared = gcd(*values)
    return tuple(value // shared for value in values)


def _solve(rows: Sequence[_Row], width: int) -> list[int] | None:
    """Numbers `x >= 0`, not all 0, with `row x >= 0` for every row; None when there are none.

    A line of `table` is the value of one basic variable and its row of the inverse of the basis, and
    `goal` is `z` and `x`; all of it is over `below`. What enters is computed from them when it enters.
    """
    lengths = [isqrt(sum(map(mul, row, row))) for row in rows]
    table = [[1, *(int(i == j) for j in range(width))] for i in range(width)]
    goal = [0] * (width + 1)
    below = 1
    while goal[0] <= below:
        x = goal[1:]
        # over its length a row says how far x is from where it holds; rounding down keeps the sign
        gaps = [sum(map(mul, row, x)) // length for row, length in zip(rows, lengths, strict=True)] + x
        worst = min(gaps)
        if goal[0] and worst >= 0:
            return x
        chosen = gaps.index(worst)
        if chosen < len(rows):
            row = rows[chosen]
            entering = [line[0] + sum(map(mul, row, line[1:])) for line in table]
            slope = goal[0] - below + sum(map(mul, row, x))
        else:
            slack = chosen - len(rows)
            entering, slope = [line[1 + slack] for line in table], x[slack]
        leaving = _leaving(table, entering)
        if leaving is None:
            return None  # z grows without bound
        pivot, line = entering[leaving], table[leaving]
        table = [
            old if i == leaving else _eliminate(old, factor, line, pivot, below)
            for i, (old, factor) in enumerate(zip(table, entering, strict=True))
        ]
        goal = _eliminate(goal, slope, line, pivot, below)
        below = pivot
    return None


def _leaving(table: Sequence[list[int]], entering: Sequence[int]) -> int | None:
    """The line that first reaches 0 as the entering variable grows.

    Of several the one that is least as a list over its entry: by this lexicographic rule no basis
    comes back, whichever variable enters.
    """
    least: int | None = None
    for i, entry in enumerate(entering):
        if entry <= 0:
            continue
        if least is not None:
            pairs = zip(table[i], table[least], strict=True)
            gaps = (new * entering[least] - old * entry for new, old in pairs)
            if next(filter(None, gaps)) > 0:
                continue
        least = i
    return least


def _eliminate(old: list[int], factor: int, line: list[int], pivot: int, below: int) -> list[int]:
    """A line after a pivot in another one, over the new denominator `pivot`."""
    if factor:
        return [(pivot * a - factor * b) // below for a, b in zip(old, line, strict=True)]
    return old if pivot == below else [pivot * a // below for a in old]
