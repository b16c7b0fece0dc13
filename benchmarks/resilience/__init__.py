"""Crashes of a library, tried: `python -m benchmarks.resilience --help`.

A seeded folder of documents changes from round to round (world), processes that bring a library up to date with it are killed, or lose their
disk (kills, points, powercuts, full), and after each crash the library is held against what had been told to be on disk and against itself
(oracle). tests/crash runs the same with fewer rounds.
"""
