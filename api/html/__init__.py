"""What a page is made of: templates, texts, pictures, moments, static files."""
