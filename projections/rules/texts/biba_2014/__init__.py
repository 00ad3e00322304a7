"""`biba-2014`: Biba Rules & Procedures 2014."""
