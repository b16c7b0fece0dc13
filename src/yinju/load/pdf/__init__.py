"""PDF: characters by their places on the page, put back into lines, paragraphs and tables."""
