"""What answers look like, for the API's description."""
