"""Rewritings of a program: no caches, and formed keys and values kept as caches."""

from __future__ import annotations

import pytest
from samples import TINY, combinations_of, read, refused, within

from derivations.library import load_variant, variant_names
from derivations.program import Role, Variant
from derivations.regions import build_graph
from derivations.transform import context_only, keep_formed, without_caches


def lines(variant: Variant) -> list[str]:
    """The program as text, from its parsed equations."""
    found = []
    for equation in variant.equations:
        left = ",".join(map(str, equation.left))
        arrow = "<-" if equation.writes else "="
        if equation.barrier:
            right = f"{equation.barrier}({','.join(map(str, equation.inputs))})"
        else:
            right = " + ".join(" * ".join(map(str, p.refs)) for p in equation.products)
        found.append(f"{left} {arrow} {right}")
    return found


def checked(variant: Variant) -> Variant:
    """`variant`, after the rules every program keeps were checked once more by hand."""
    given = {Role.INPUT, Role.WEIGHT, Role.TABLE}
    defined: set[str] = set()
    for equation in variant.equations:
        for ref in equation.uses:
            tensor = variant.tensors[ref.name]
            old = tensor.role is Role.STATE and (ref.old or ref.name == equation.name)
            assert tensor.role in given or ref.name in defined or old, f"{ref.name} used too early"
            assert len(ref.axes) == len(tensor.axes)
            if tensor.role not in (Role.INPUT,):
                for used, own in zip(ref.axes, tensor.axes, strict=True):
                    assert variant.axes[used].size in (variant.axes[own].size, *_lengths(variant))
        for ref in equation.left:
            assert ref.name not in defined, f"{ref.name} defined twice"
            kept = variant.tensors[ref.name].role in (Role.CACHE, Role.STATE)
            assert equation.writes is kept
            defined.add(ref.name)
    return variant


def _lengths(variant: Variant):
    """Query and context may stand for each other once caches are gone."""
    return [axis.size for axis in variant.axes.values() if axis.name in ("s", "t")]


@pytest.mark.parametrize("name", variant_names())
def test_bundled_variants_without_caches_are_whole_programs(name):
    for options in combinations_of(load_variant(name).all_options):
        if name == "moba":  # its cache is stored block by block: no axis has one row for each token
            message = refused(without_caches, load_variant("+".join([name, *options])))
            assert "no axis of L tokens" in message
            continue
        variant = checked(without_caches(load_variant("+".join([name, *options]))))
        assert not [t for t in variant.tensors.values() if t.role is Role.CACHE]
        states = [t.name for t in variant.tensors.values() if t.role is Role.STATE]
        assert [e.name for e in variant.equations if e.writes] == states  # a state stays: it has no rows
        assert build_graph(variant).regions


def test_without_caches_the_input_stands_under_the_context_axis():
    made = lines(without_caches(load_variant("mla")))
    assert made[0] == "C[t,c] = X[t,d] * W_DKV[d,c]"
    assert made[1:] == lines(load_variant("mla"))[1:]


NORMED = TINY.replace(
    '  - "K[h,t,k] <- X[s,d] * W_K[h,d,k]"',
    '  - "Z[s,d] = X[s,d] * W_N[d]"\n  - "N[s,d] = norm[d](Z[s,d])"\n  - "K[h,t,k] <- N[s,d] * W_K[h,d,k]"',
).replace("role: cache}", "role: cache}\n  W_N: {axes: [d], role: weight}")


def test_what_a_barrier_made_is_made_again_for_the_context():
    made = lines(checked(without_caches(read(NORMED))))
    position = next(i for i, line in enumerate(made) if line.startswith("K[h,t,k] = "))
    assert made[position] == "K[h,t,k] = N_ctx[t,d] * W_K[h,d,k]"
    assert "N_ctx[t,d] = norm(Z_ctx[t,d])" in made[:position] or (
        "N_ctx[t,d] = norm(Z[t,d])" in made[:position]
    )


def test_a_program_without_caches_is_left_alone():
    plain = without_caches(read(TINY))
    assert lines(without_caches(plain)) == lines(plain)


@pytest.mark.parametrize(
    ("name", "tensor", "expected"),
    [
        ("mla", "K", True),
        ("mla", "C", True),
        ("mla", "Q", False),
        ("mla", "A", False),
        ("mla", "W_UK", False),
        ("mla", "X", False),
        ("mla-rope-in-key", "R_K", True),
    ],
)
def test_one_value_a_cached_row(name, tensor, expected):
    assert context_only(load_variant(name), tensor) is expected


def test_kept_keys_and_values_replace_the_latent_cache():
    variant = checked(keep_formed(load_variant("mla"), ["K", "V"], copied=False))
    roles = {name: t.role for name, t in variant.tensors.items()}
    assert roles["K"] is roles["V"] is Role.CACHE
    assert not any(e.writes and e.name == "C" for e in variant.equations)
    made = lines(variant)
    rows = next(line for line in made if line.startswith("K[h,t,k] <- "))
    latent = rows.removeprefix("K[h,t,k] <- ").partition("[")[0]
    assert rows == f"K[h,t,k] <- {latent}[s,c] * W_UK[h,c,k]"
    assert f"V[h,t,v] <- {latent}[s,c] * W_UV[h,c,v]" in made
    assert f"{latent}[s,c] = X[s,d] * W_DKV[d,c]" in made
    # both K and V are made from the same new latent rows
    assert sum("W_DKV" in line for line in made) == 1


def test_the_rope_key_is_copied_for_every_head_or_stored_once():
    variant = load_variant("mla+rope")
    once = keep_formed(variant, ["K", "V"], copied=False)
    copied = keep_formed(variant, ["K", "V"], copied=True)
    assert once.tensors["K_R"].copies == ()
    assert copied.tensors["K_R"].copies == ("h",)
    assert copied.tensors["K"].copies == copied.tensors["V"].copies == ()


def test_only_what_lies_along_the_context_can_be_kept():
    variant = load_variant("mla")
    assert keep_formed(variant, ["Q"], copied=True) is variant
    assert keep_formed(variant, [], copied=True) is variant


def test_keeping_one_of_two_keeps_the_latent_for_the_other():
    variant = checked(keep_formed(load_variant("mla"), ["K"], copied=False))
    assert {t.name for t in variant.tensors.values() if t.role is Role.CACHE} == {"K", "C"}


def test_a_state_has_no_rows_to_keep():
    text = TINY.replace("role: cache}", "role: cache}\n  Z: {axes: [h, k, t], role: state}")
    text = text.replace('  - "A[', '  - "Z[h,k,t] <- Z[h,k,t] + K[h,t,k]"\n  - "M[h,t,k] = Z[h,k,t]"\n  - "A[')
    text = text.replace("Q[h,s,k] * K[h,t,k]", "Q[h,s,k] * M[h,t,k]")
    message = refused(keep_formed, read(text), ["M"], False)
    assert message == "Z is a state; it has no rows that could be kept or dropped"


def test_a_tower_of_definitions_is_rewritten_in_time():
    links = "".join(f'  - "Z{i + 1}[s,d] = Z{i}[s,d] * Z{i}[s,d]"\n' for i in range(26))
    text = TINY.replace('  - "K[', '  - "Z0[s,d] = X[s,d]"\n' + links + '  - "K[')
    variant = read(text.replace("<- X[s,d]", "<- Z26[s,d]"))
    with within(1):
        without_caches(variant)
