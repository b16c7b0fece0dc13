"""Web pages, saved or in books and web archives: what a visitor would read, and what was furniture."""
