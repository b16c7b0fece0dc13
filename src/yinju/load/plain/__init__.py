"""Formats that are text themselves: the file's text is the document's, and structure is marked in it."""
