"""Lessons: text with holes, and every hole is asked of the engine."""
