"""Pages: what a derivation, a comparison or a crossover says, as a `Report`."""
