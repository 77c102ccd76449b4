"""How quantities change with one symbol, as theorems of Coq: where two of them cross, and limits."""

from __future__ import annotations

from ..claims import STEP, Term
from ..kernel.exact import ONE, Poly, coefficients, data, minus, plus, put, read, symbol, times
from .facts import positive
from .script import Point, Scripts, Theorem, exact, stated
from .text import Env, group, poly_text, power_text

__all__ = ["crossing", "limit"]


def crossing(scripts: Scripts, place: int, name: str, said: Term = ()) -> Theorem:
    """There is one positive root: below it the first quantity is less, at it both are equal, above it more."""
    texts, line = scripts.texts, scripts.line(place)
    _, a, b, x = said or line.statement
    form = scripts.line(line.premises[0]).statement
    turning = Turning(scripts, next(p for p in form[2] if len(coefficients(read(p), x)) > 1), x)
    here = Point("o", texts.everywhere())
    other = f"{here.env[x]}'"
    there = Point("i", texts.moved(here.env, x, other))
    ends = [i for i in line.premises if scripts.line(i).statement in [("pos", p) for _, _, p in turning.ends]]

    outer, inner = scripts.facts(ends), [*scripts.facts(line.premises), positive(x)]
    fixed = [f for f in inner if scripts.hypothesis(f, here.env) == scripts.hypothesis(f, there.env)]
    held = scripts.hypotheses([*outer, *(f for f in fixed if f not in outer)], here.env)
    more = [text for text in scripts.hypotheses(inner, there.env) if text not in held]
    free = texts.moved_names(texts.free(a) | texts.free(b), x) - {x}
    root = texts.ends.get(("root", a, b, x), (None,))[0]
    shown = texts.expr(("root", a, b, x), here.env) if root else "r"
    one, two = (texts.expr(e, there.env) for e in (a, b))
    cases = [f"({other} < {shown} -> {one} < {two})", f"({other} = {shown} -> {one} = {two})"]
    cases.append(f"({shown} < {other} -> {two} < {one})")
    within, taken = stated([other], more, " /\\\n  ".join(cases), "k")
    goal = f"{'' if root else 'exists r : R, '}0 < {shown} /\\\n  ({within})"
    names = sorted(free | scripts.names([*outer, *fixed]))
    says, intros = stated([here.env[n] for n in names], held, goal)

    start = turning.known_root(str(root), shown, here.env) if root else turning.some_root(here.env)
    gap = b if a == ("num", 0) else ("sub", b, a)
    factored = scripts.factored(("is", gap, *form[2:]), turning.poly, there, turning.text(other, here.env))
    signs = (
        f"assert (f : {factored}) by (refine (ratio_change _ _ _ _ _ i{line.premises[0]} _ _); {exact(form)})."
    )
    at_root, at_other = (f"({turning.text(v, here.env)})" for v in ("r", other))
    value, k = group(texts.expr(gap, there.env)), turning.change
    tactics = [
        intros, *scripts.asserts(ends, here), *start, "split; [ exact p |].",
        taken, *scripts.asserts(line.premises, there), signs,
        "split; [| split ]; intro c.",
        f"- assert (0 < {at_other}).",
        f"  {{ apply (before_root _ {at_root} (r ^ {k}) ({other} ^ {k})); [| sign | exact z ].",
        f"    {turning.between(other, 'r', here.env)} }}",
        f"  assert (0 < {value}) by (apply (ratio_pos _ _ _ f); sign); lra.",
        f"- assert ({value} = 0) by (apply (ratio_zero _ _ _ _ f); rewrite c; exact z); lra.",
        f"- assert ({at_other} < 0).",
        f"  {{ apply (after_root {at_root} _ ({other} ^ {k}) (r ^ {k})); [| sign | exact z ].",
        f"    {turning.between('r', other, here.env)} }}",
        f"  assert ({value} < 0) by (apply (ratio_neg _ _ _ _ f); sign); lra.",
    ]  # fmt: skip
    return Theorem(name, says, tuple(tactics))


class Turning:
    """A polynomial whose coefficients are positive for low powers of a symbol and negative for high ones."""

    def __init__(self, scripts: Scripts, poly: Term, name: str) -> None:
        self.texts, self.poly, self.name = scripts.texts, poly, name
        known = {line.statement for line in scripts.proof.lines}
        parts = sorted(coefficients(read(poly), name).items())
        self.ends = [
            (e, 1, data(p)) if ("pos", data(p)) in known else (e, -1, data(minus({}, p))) for e, p in parts
        ]
        """Exponent, sign, and the coefficient with that sign."""
        self.change = next(e for e, sign, _ in self.ends if sign < 0)
        """The lowest power whose coefficient is negative."""

    def text(self, at: str, env: Env, lower: int = 0) -> str:
        """The polynomial with `at` in the place of the symbol, over a power of it."""
        parts = ""
        for e, sign, poly in self.ends:
            power = f" * {power_text(at, e - lower)}" if e > lower else ""
            parts += f" {'+' if sign > 0 else '-'} ({self.texts.poly(poly, env)}){power}"
        return parts.removeprefix(" + ")

    def _symbolic(self) -> Poly:
        """The same, with `c0`, `c1`, ... for the coefficients and `x` for the symbol."""
        poly: Poly = {}
        for i, (e, sign, _) in enumerate(self.ends):
            poly = plus(poly, times(symbol(f"c{i}"), *[symbol("x")] * e), sign)
        return poly

    def _shown(self, poly: Poly, env: Env, looks: dict[str, str]) -> str:
        names = {f"c{i}": f"({self.texts.poly(p, env)})" for i, (_, _, p) in enumerate(self.ends)}
        return poly_text(data(poly), lambda name: {**names, **looks}[name])

    def between(self, low: str, high: str, env: Env) -> str:
        """Over the power at which its signs change, it falls: written in the difference of two places."""
        further: dict[str | int, Poly] = {"x": plus(symbol("x"), symbol(STEP))}
        here, k = self._symbolic(), self.change
        power = times(*[symbol("x")] * k)
        fall = minus(times(here, put(power, further)), times(put(here, further), power))
        shown = self._shown(fall, env, {"x": low, STEP: f"({high} - {low})"})
        one, two = (f"({self.text(place, env)})" for place in (low, high))
        return f"replace ({one} * {high} ^ {k} - {two} * {low} ^ {k}) with ({shown}) by ring; sign."

    def known_root(self, ident: str, shown: str, env: Env) -> list[str]:
        """The root as the ratio it is, then any number `r` with what is known of that."""
        return [
            f"assert (p : 0 < {shown}) by (unfold {ident}; apply Rdiv_lt_0_compat; sign).",
            f"assert (z : {self.text(group(shown), env)} = 0) by (unfold {ident}; field; nonzero).",
            f"revert p z; generalize ({shown}); intros r p z.",
        ]

    def some_root(self, env: Env) -> list[str]:
        """A root lies between 0 and 1 + t, where t is the low coefficients over the first high one."""
        least = self.ends[0][0]
        texts = {e: f"({self.texts.poly(p, env)})" for e, _, p in self.ends}
        low = f"({' + '.join(texts[e] for e, sign, _ in self.ends if sign > 0)})"
        k, first = self.change - least, texts[self.change]
        one: dict[str | int, Poly] = {"x": plus(ONE, symbol("t"))}
        tall = put(times(*[symbol("x")] * (k - 1)), one)
        rest: Poly = {}
        for i, (e, sign, _) in enumerate(self.ends):
            own = tall if e == self.change else put(times(*[symbol("x")] * (e - least)), one)
            rest = plus(rest, times(symbol(f"c{i}"), own if sign < 0 else minus(tall, own)))
        shown = self._shown(rest, env, {"t": "t"})
        at_zero, at_root, below, beyond = (
            f"({self.text(place, env, power)})"
            for place, power in (("0", least), ("r", 0), ("r", least), ("(1 + t)", least))
        )
        value = f"- ({shown}) - ({first} * t - {low}) * (1 + t) ^ {k - 1}"
        return [
            f"assert (s : exists t, 0 < t /\\ {first} * t = {low}).",
            f"{{ exists ({low} / {first}); split; [ apply Rdiv_lt_0_compat; sign | field; nonzero ]. }}",
            "destruct s as [t [q s]].",
            f"destruct (root_exists (fun x => {self.text('x', env, least)}) (1 + t)) as [r [p y]].",
            "{ reg. }",
            f"{{ replace {at_zero} with {texts[least]} by ring; sign. }}",
            "{ lra. }",
            f"{{ assert (0 < {shown}) by sign; replace {beyond} with ({value}) by ring; rewrite s; lra. }}",
            f"assert (z : {at_root} = 0).",
            f"{{ cbv beta in y; replace {at_root} with (r ^ {least} * {below}) by ring; rewrite y; ring. }}",
            "exists r.",
        ]


def limit(scripts: Scripts, place: int, name: str) -> Theorem:
    """A quantity comes as near to its limit as one likes."""
    texts, line = scripts.texts, scripts.line(place)
    _, end, _, _ = line.statement
    _, e, x = end
    form, leading = line.premises
    here = Point("o", texts.everywhere())
    first, other = here.env[x], f"{here.env[x]}'"
    env = texts.moved(here.env, x, other)
    there = Point("i", env, x, f"({other} - {first})", here)
    facts = list(dict.fromkeys([*scripts.facts((leading,)), *scripts.grown_facts((form,), x), positive(x)]))
    tied = [f for f in facts if f[0] == "put" and f[1] in texts.puts(x)]
    facts = [
        f
        for f in facts
        if f not in tied or scripts.names([f]) & scripts.names([g for g in facts if g not in tied])
    ]
    shown = texts.expr(end, here.env)
    _, _, over, under = scripts.line(form).statement
    top, bottom = (coefficients(times(*map(read, side)), x) for side in (over, under))
    power = max(bottom)

    def scaled(parts: dict[int, Poly]) -> str:
        """Coefficients before powers of 1/x, the constant first."""
        rest = (
            f"({texts.poly(data(parts[i]), env)}) * (/ {other}) ^ {power - i}"
            for i in sorted(parts)
            if i < power
        )
        return " + ".join([f"({texts.poly(data(parts.get(power, {})), env)})", *rest])

    above, below = scaled(top), scaled(bottom)
    quantity = texts.expr(e, env)
    says, intros = stated(
        [here.env[n] for n in sorted(scripts.names(facts) | texts.free(end) | {x})],
        scripts.hypotheses(facts, here.env),
        f"tends (fun {other} => {quantity})\n    ({shown})",
    )
    counts = [len([i for i in parts if i < power]) for parts in (top, bottom)]
    chains = (f"do {count} apply tends_more; apply tends_const" for count in counts)
    tactics = [
        intros, *scripts.asserts((leading,), here),
        f"apply (tends_eventually {first} _ (fun {other} => ({above}) / ({below}))).",
        f"{{ intros {other} further; assert (0 < {other}) by lra; cbv beta.", *scripts.asserts((form,), there),
        f"apply (ratio_scaled _ _ _ _ _ ({other} ^ {power}) i{form});",
        "[ apply pow_nonzero; nonzero | field; nonzero | field; nonzero ]. }",
        f"unfold {texts.ends[end][0]}; apply tends_div; [ sign | {' | '.join(chains)} ].",
    ]  # fmt: skip
    return Theorem(name, says, tuple(tactics))
