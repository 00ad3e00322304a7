"""Packs of cases: what committees are handed by the rule sets of their matches, as files."""
