"""Retrievers and tools for frameworks that people use already: `langchain`, `llamaindex`. Each is an extra; this file imports none."""
