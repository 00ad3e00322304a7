"""What writers share: which match is wanted, its story, what a format cannot hold."""
