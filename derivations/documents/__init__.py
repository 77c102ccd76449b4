"""Published documents held against the engine: every figure derived again, and judged by rule."""
