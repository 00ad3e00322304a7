"""The backgammon board by itself: positions, legal plays and notation; knows no events."""
