"""How long a user waits: start-up times of `derive`, in turn with a bare `import sympy`.

    python benchmarks/startup.py [--repeat N]

Every round runs each command once, so that a machine that slows down slows all of them; one round
before the first is not counted. Exits 1 when a limit is exceeded, 2 when a command fails.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

HELP_LIMIT = 0.15
"""Seconds that `derive --help` may take."""
LATEX_LIMIT = 2.0
"""How many times `import sympy` a whole derivation may take."""

SYMPY = "import sympy"
HELP = "derive --help"
LIST = "derive list variants"
LATEX = "derive mla --order absorb --latex"


def commands() -> dict[str, list[str]]:
    """What is measured, by the name it is shown under."""
    script = Path(sys.executable).with_name("derive")
    derive = [str(script)] if script.exists() else [sys.executable, "-m", "derivations"]
    runs = {SYMPY: [sys.executable, "-c", SYMPY]}
    return runs | {name: derive + name.split()[1:] for name in (HELP, LIST, LATEX)}


def seconds(name: str, command: list[str]) -> float:
    """Wall time of one run; ends the benchmark if the command fails."""
    # Bytecode is kept, as in an installed package, even if this shell says otherwise.
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        print(f"`{name}` failed with exit status {done.returncode}:", file=sys.stderr)
        print(done.stderr.decode(errors="replace").rstrip(), file=sys.stderr)
        raise SystemExit(2)
    return elapsed


def measure(repeat: int) -> dict[str, list[float]]:
    """Times of `repeat` interleaved rounds, after one that is thrown away."""
    runs = commands()
    rounds = [{name: seconds(name, run) for name, run in runs.items()} for _ in range(repeat + 1)]
    return {name: [times[name] for times in rounds[1:]] for name in runs}


def broken(medians: dict[str, float]) -> list[str]:
    """A sentence for each limit that is exceeded."""
    ratio = medians[LATEX] / medians[SYMPY]
    said = []
    if medians[HELP] > HELP_LIMIT:
        said.append(f"`{HELP}` takes {medians[HELP]:.3f} s; the limit is {HELP_LIMIT} s.")
    if ratio > LATEX_LIMIT:
        said.append(f"`{LATEX}` takes {ratio:.2f} times `{SYMPY}`; the limit is {LATEX_LIMIT}.")
    return said


def positive(text: str) -> int:
    """An integer of at least 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def main() -> int:
    """Measure, print the table, judge."""
    parser = argparse.ArgumentParser(description="Start-up times of derive.")
    parser.add_argument("--repeat", type=positive, default=15, metavar="N", help="rounds (15)")
    times = measure(parser.parse_args().repeat)
    medians = {name: median(values) for name, values in times.items()}

    width = max(map(len, times))
    print(f"{'command':<{width}}  median s   min s   max s  x sympy")
    for name, values in times.items():
        ratio = medians[name] / medians[SYMPY]
        print(f"{name:<{width}}  {medians[name]:8.3f}  {min(values):6.3f}  {max(values):6.3f}  {ratio:7.2f}")
    said = broken(medians)
    print("\n".join(said), file=sys.stderr, end="\n" if said else "")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
