"""Folds that say what is: rulings, positions, cube, score, flow, clock, roster."""
