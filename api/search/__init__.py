"""Search: turns by their board, as far as anybody may see them; and what is counted of games."""
