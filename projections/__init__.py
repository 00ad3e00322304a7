"""Meaning: pure folds over facts; no clock, no chance, no input or output."""
