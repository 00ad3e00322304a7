"""The index of matches and players: what lists ask, kept beside the log and made anew from it."""
