"""BGBlitz's `.bgf`: read."""
