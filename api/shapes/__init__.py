"""What answers look like: structs, of which the description of the API is made."""
