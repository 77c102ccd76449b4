"""`python -m derivations` is the command `derive`."""

from .cli import main

main()
