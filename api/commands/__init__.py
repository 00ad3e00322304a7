"""The commands of `tabularium`, one noun a file."""
