"""`fcbg-tournament` and `fcbg-club`: one text for both."""
