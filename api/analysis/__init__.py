"""Analysis of matches that are over and released, by engines that are no part of this program."""
