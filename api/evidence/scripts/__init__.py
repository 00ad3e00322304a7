"""What a bundle carries to be checked with: read here, run anywhere."""
