"""Rounds: players and pairings as text, what is wrong with each line, what they become."""
