"""Second opinions on claims, independent of the kernel: random evaluation, z3, numpy."""
