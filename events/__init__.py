"""Facts: what was recorded at the table, and the proof that it was."""
