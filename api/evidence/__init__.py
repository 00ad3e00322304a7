"""Evidence in the hands of others: bundles that verify without this program, and who signs them."""
