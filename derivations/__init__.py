"""derive: a symbolic derivation engine for the cost of attention."""
