"""How long the documents take: `derive article` cold, in turn with a bare `import sympy`.

    python benchmarks/documents.py [--repeat N]

Exits 1 when the limit is exceeded.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from statistics import median

LIMIT = 15.0
"""Seconds that all documents may take from a cold start."""
RUNS = {
    "import sympy": [sys.executable, "-c", "import sympy"],
    "derive article": [sys.executable, "-m", "derivations", "article"],
    "derive article --claim article-5.6-high": [
        sys.executable, "-m", "derivations", "article", "--claim", "article-5.6-high",
    ],
}  # fmt: skip


def seconds(command: list[str]) -> float:
    """Wall time of one run."""
    start = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return time.perf_counter() - start


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description="Times of the documents.")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="rounds (5)")
    rounds = [{name: seconds(run) for name, run in RUNS.items()} for _ in range(parser.parse_args().repeat)]
    medians = {name: median(one[name] for one in rounds) for name in RUNS}
    for name, value in medians.items():
        print(f"{name:<40}  {value:7.3f} s  {value / medians['import sympy']:7.2f} x sympy")
    return 1 if medians["derive article"] > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
