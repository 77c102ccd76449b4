"""How long the bundled claims take: found and checked in a new process, and the kernel's own share.

    python benchmarks/claims.py [--repeat N]

Stored proofs are not used. Every round starts a process of its own; medians are shown. Exits 1 when a
limit is exceeded, 2 when a claim has another verdict than is expected of it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from statistics import median

from startup import positive

FOUND_LIMIT = 10.0
"""Seconds in which all bundled claims are found and checked, from the start of the process."""
KERNEL_LIMIT = 0.5
"""Seconds of that which the kernel may take."""

ROUND = """
import json, time
start = time.process_time()
from derivations.judging import judge
from derivations.kernel import check
from derivations.publish import VARIANTS
from derivations.storing import bundled_assertions
found = [judge(a) for variant in VARIANTS for a in bundled_assertions(variant)]
took = time.process_time() - start
proved = [j for j in found if j.proof is not None]
again = time.process_time()
for judgement in proved:
    check(judgement.assertion.claim, judgement.proof)
kernel = time.process_time() - again
lines = sum(len(j.proof.lines) for j in proved)
wrong = [j.assertion.id for j in found if not j.as_expected]
counts = {"claims": len(found), "proved": len(proved), "lines": lines}
print(json.dumps({"took": took, "kernel": kernel, "wrong": wrong, **counts}))
"""


def measured() -> dict[str, object]:
    """One round in a new process."""
    done = subprocess.run([sys.executable, "-c", ROUND], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.rstrip(), file=sys.stderr)
        raise SystemExit(2)
    return dict(json.loads(done.stdout))


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repeat", type=positive, default=3, metavar="N", help="rounds (default: 3)")
    rounds = [measured() for _ in range(parser.parse_args().repeat)]
    last = rounds[-1]
    if last["wrong"]:
        print(f"other verdicts than expected: {last['wrong']}", file=sys.stderr)
        return 2
    took, kernel = (median(float(str(r[key])) for r in rounds) for key in ("took", "kernel"))
    print(f"{last['claims']} claims, {last['proved']} proved in {last['lines']} lines")
    print(f"found and checked  {took:6.2f} s   (limit {FOUND_LIMIT:g} s)")
    print(f"kernel             {kernel:6.2f} s   (limit {KERNEL_LIMIT:g} s)")
    return 0 if took <= FOUND_LIMIT and kernel <= KERNEL_LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
