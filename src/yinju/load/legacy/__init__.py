"""Files of the old Office and RTF, and what hides under their names."""
