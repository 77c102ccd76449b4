"""A claim and its proof as a file for the proof assistant Coq, which judges it by its own axioms of the reals.

Quantities become definitions as the claim has them, so that a reader sees the ledger's sums; the theorem says
what the claim says. The lines of the proof are asserted one after the other. What is assumed is what the
proof uses: a size that only has to be positive is any positive real number, whole or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..claims import STEP, Claim, Proof, Term
from ..kernel.exact import coefficients, data, minus, read
from . import library as lemmas
from .curves import crossing, limit
from .network import cheapest, value
from .script import Point, Scripts, Theorem, exact, stated
from .text import NoCoq, Texts, comment, identifiers, word

__all__ = ["NoCoq", "coq_file"]


READ = """\
(* The symbol L is `L_`, and `L_'` is a second value of it. Symbols stand for real numbers of which no more is
   known than a theorem assumes, so that it holds for whole numbers of at least 1 in particular. *)"""


def coq_file(claim: Claim, proof: Proof, says: str, name: str) -> str:
    """The file; `says` is what the claim says in words. Raises NoCoq where it cannot be written."""
    try:
        return _file(claim, proof, says, name)
    except (AttributeError, IndexError, KeyError, StopIteration, TypeError, ValueError) as error:
        raise NoCoq(f"the proof is not one of this claim: {error!r}") from None


def _file(claim: Claim, proof: Proof, says: str, name: str) -> str:
    used = {n for line in proof.lines for n in _symbols(line.statement)}
    opaque = [("sym", n) for n, _ in claim.opaque if n in used]
    texts = Texts(claim, _identifiers(claim, proof), _ends(proof))
    scripts = Scripts(texts, proof)
    theorems = [*_behind(scripts)]
    ident = f"claim_{word(name).removeprefix('claim_')}"
    theorems += _theorems(scripts, claim.statement, len(proof.lines) - 1, ident)
    definitions = texts.definitions(("all", *opaque, claim.statement, *texts.ends))
    body = "\n\n".join([*definitions, *_texts(theorems)])
    parts = {"whole ": lemmas.WHOLE, "tends ": lemmas.LIMITS, "_root ": lemmas.CROSSINGS}
    parts["sum_below "] = lemmas.SUMS
    needed = [lemmas.BASE, *(text for mark, text in parts.items() if mark in body)]
    head = f"{comment(says)}\n\n{READ}\n\nRequire Import Reals Lra.\nOpen Scope R_scope."
    return "\n\n".join(part.strip("\n") for part in (head, *needed, body)) + "\n"


def _texts(theorems: list[Theorem]) -> Iterator[str]:
    """Each theorem; one that says what another does stands on that."""
    known: dict[str, str] = {}
    for theorem in theorems:
        first = known.setdefault(theorem.says, theorem.name)
        yield (theorem if first == theorem.name else replace(theorem, tactics=(f"exact {first}.",))).text()


def _identifiers(claim: Claim, proof: Proof) -> dict[tuple[str, str], str]:
    said = (claim.statement, claim.definitions, claim.assumptions, claim.opaque)
    symbols = {*claim.sizes, *claim.positives, *_symbols((*said, *(line.statement for line in proof.lines)))}
    keys = [("sym", n) for n in sorted(symbols - {STEP, *dict(claim.opaque)})]
    keys += [("def", n) for n, _ in claim.definitions] + [("opaque", n) for n, _ in claim.opaque]
    return {**identifiers(keys), ("sym", STEP): "step"}


def _symbols(term: object) -> Iterator[str]:
    """The symbols in statements, expressions and polynomials."""
    if not isinstance(term, tuple):
        return
    last = {
        "lim": 2,
        "shift": 2,
        "independent": 2,
        "increasing": 2,
        "root": 3,
        "crosses": 3,
        "put": 1,
        "sym": 1,
    }
    if term and term[0] in last and isinstance(term[last[term[0]]], str):
        yield term[last[term[0]]]
    if len(term) == 2 and isinstance(term[0], str) and isinstance(term[1], int):
        yield term[0]  # with its exponent
    for part in term:
        yield from _symbols(part)


def _ends(proof: Proof) -> dict[Term, tuple[str, Term, Term]]:
    """What limits are, and where quantities are equal if that is a ratio of polynomials."""
    found: dict[Term, tuple[str, Term, Term]] = {}
    for line in proof.lines:
        if line.rule == "limit":
            found[line.statement[1]] = (f"limit_{len(found)}", line.statement[2][0], line.statement[3][0])
        if line.rule == "crosses":
            _, a, b, name = line.statement
            above = proof.lines[line.premises[0]].statement[2]
            parts = next(c for p in above if len(c := coefficients(read(p), name)) > 1)
            if set(parts) == {0, 1}:
                ends = data(parts[0]), data(minus({}, parts[1]))
                found["root", a, b, name] = (f"root_{len(found)}", *ends)
    return found


def _behind(scripts: Scripts) -> Iterator[Theorem]:
    """That what is defined as a limit or as a crossing is one."""
    ends = scripts.texts.ends
    for place, line in enumerate(scripts.proof.lines):
        if line.rule == "limit":
            yield limit(scripts, place, f"{ends[line.statement[1]][0]}_is_the_limit")
        if line.rule == "crosses" and ("root", *line.statement[1:]) in ends:
            yield crossing(scripts, place, f"{ends['root', *line.statement[1:]][0]}_is_the_crossing")


def _theorems(scripts: Scripts, statement: Term, place: int, name: str) -> list[Theorem]:
    """The theorem that says a statement, after those it is put together from."""
    head = statement[0]
    if head == "all":
        parts = enumerate(zip(statement[1:], scripts.line(place).premises, strict=True))
        lists = [_theorems(scripts, part, premise, f"{name}_{i}") for i, (part, premise) in parts]
        says = " /\\\n  ".join(f"({found[-1].says})" for found in lists)
        together = " ".join(f"(conj {found[-1].name}" for found in lists[:-1])
        whole = Theorem(name, says, (f"exact {together} {lists[-1][-1].name}{')' * (len(lists) - 1)}.",))
        return [theorem for found in lists for theorem in found] + [whole]
    if head == "crosses":
        return [crossing(scripts, place, name, statement)]
    if head in ("cheapest", "value"):
        return [(cheapest if head == "cheapest" else value)(scripts, statement, place, name)]
    write = _independent if head == "independent" else _pointwise
    return [write(scripts, statement, place, name)]


def _pointwise(scripts: Scripts, statement: Term, place: int, name: str) -> Theorem:
    """What is said of each choice of sizes on its own."""
    texts, line = scripts.texts, scripts.line(place)
    if line.rule == "increasing":
        _, e, symbol = statement
        statement, line = ("less", e, ("shift", e, symbol)), scripts.line(line.premises[0])
    targets = line.premises if statement[0] in ("less", "atmost", "same", "iff") else (place,)
    at = Point("l", texts.everywhere())
    facts = scripts.facts(targets)
    variables = sorted(scripts.names(facts) | _free(texts, statement))
    says, intros = stated(
        [at.env[n] for n in variables], scripts.hypotheses(facts, at.env), _said(scripts, statement, at)
    )
    return Theorem(name, says, (intros, *scripts.asserts(targets, at), _concluded(scripts, statement, targets)))


def _free(texts: Texts, statement: Term) -> frozenset[str]:
    head, *rest = statement
    if head in ("pos", "nonneg"):
        return texts.bases(rest[0])
    if head == "put":
        return texts.base(rest[0]) | texts.bases(rest[1])
    find = _free if head == "iff" else lambda texts, e: texts.free(e)
    return frozenset().union(*(find(texts, part) for part in (rest[:1] if head == "is" else rest)))


def _said(scripts: Scripts, statement: Term, at: Point) -> str:
    head, *rest = statement
    if head in ("pos", "nonneg", "put", "is"):
        return scripts.known(statement, at.env)
    if head == "iff":
        one, two = (_said(scripts, part, at) for part in rest)
        return f"({one} <-> {two})"
    sign = {"less": "<", "atmost": "<=", "same": "="}[head]
    one, two = (scripts.texts.expr(part, at.env) for part in rest)
    return f"{one} {sign} {two}"


def _concluded(scripts: Scripts, statement: Term, targets: tuple[int, ...]) -> str:
    """The tactic that ends a proof."""
    head, *rest = statement
    if head in ("less", "atmost"):
        pos, gap = ("ratio_pos", "ratio_less") if head == "less" else ("ratio_nonneg", "ratio_atmost")
        rule = f"{pos} _ _ _" if rest[0] == ("num", 0) else f"{gap} _ _ _ _"
        return f"apply ({rule} l{targets[0]}); sign."
    if head == "same":
        return f"exact (ratio_same _ _ _ _ l{targets[0]} l{targets[1]})."
    if head == "iff":
        return _equivalent(scripts, statement, targets)
    return f"exact l{targets[0]}."


def _equivalent(scripts: Scripts, statement: Term, targets: tuple[int, ...]) -> str:
    """Each difference has the sign of the factor that both contain."""
    at = Point("l", scripts.texts.everywhere())
    known = [scripts.line(i).statement for i in targets]
    (shared, *_) = [p for p in known[0][2] if p in known[1][2] and ("pos", p) not in known]
    tactics = []
    for i, (line, (_, left, right)) in enumerate(zip(known[:2], statement[1:], strict=True)):
        form = scripts.factored(line, shared, at)
        gap = scripts.texts.expr(right if left == ("num", 0) else ("sub", right, left), at.env)
        says = f"{_said(scripts, ('less', left, right), at)} <-> 0 < {gap}"
        tactics += [
            f"assert (f{i} : {form}).",
            f"{{ refine (ratio_change _ _ _ _ _ l{targets[i]} _ _); {exact(line[2:])}. }}",
            f"pose proof (ratio_iff _ _ _ _ f{i} ltac:(sign) ltac:(sign)) as g{i}.",
            f"assert (d{i} : {says}) by (split; intro; lra).",
        ]
    return "\n  ".join([*tactics, "exact (iff_trans (iff_trans d0 g0) (iff_sym (iff_trans d1 g1)))."])


def _independent(scripts: Scripts, statement: Term, place: int, name: str) -> Theorem:
    """One value at any two choices of sizes that differ in a symbol, and in what changes with it."""
    _, e, symbol = statement
    texts, targets = scripts.texts, scripts.line(place).premises
    one = Point("l", texts.everywhere())
    other = f"{one.env[symbol]}'"
    two = Point("m", texts.moved(one.env, symbol, other))
    facts = scripts.facts(targets)
    held = [text for at in (one, two) for text in scripts.hypotheses(facts, at.env)]
    variables = [one.env[n] for n in sorted(scripts.names(facts) | texts.free(e) | {symbol})]
    variables.insert(variables.index(one.env[symbol]) + 1, other)
    goal = f"{texts.expr(e, one.env)} =\n  {texts.expr(e, two.env)}"
    says, intros = stated(variables, list(dict.fromkeys(held)), goal)
    asserts = [step for at in (one, two) for step in scripts.asserts(targets, at)]
    done = f"exact (ratio_same _ _ _ _ l{targets[0]} m{targets[0]})."
    return Theorem(name, says, (intros, *asserts, done))
