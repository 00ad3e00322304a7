"""One file a rule set: everything that only this text says."""
