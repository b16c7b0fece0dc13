"""Source code: definitions become headings, comments stay where they are."""
