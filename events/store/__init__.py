"""The stores: the promise, the reference in memory, and SQL behind one contract test."""
