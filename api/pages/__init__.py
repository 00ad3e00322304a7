"""Routes of HTML pages: public ones, cases, the room; and files that browsers fetch with them."""
