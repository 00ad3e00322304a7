"""Rule sets: one file of numbers and small named policies each; folds ask them questions."""
