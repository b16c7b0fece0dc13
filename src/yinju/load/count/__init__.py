"""Counters: how many visible characters a file holds, by code that shares nothing with the loader of its format."""
