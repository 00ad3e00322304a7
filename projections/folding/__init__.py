"""What a fold is, and what all folds share: standing entries, findings, sayings."""
