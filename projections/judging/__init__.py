"""Folds that say what was wrong under the rules in force, and what follows from it."""
