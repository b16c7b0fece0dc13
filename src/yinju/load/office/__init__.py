"""Office and OpenDocument packages: text, slides and sheets, as they look when opened."""
