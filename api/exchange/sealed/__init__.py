"""Sealed entries as lines: what leaves the archive with its proof and can come back."""
