"""eXtreme Gammon's `.xg`: read."""
