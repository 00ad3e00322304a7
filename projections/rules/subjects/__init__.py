"""Policies that several texts share, by the name of what they do."""
