"""Measurements of Yinju on public sets and on its own examples. Each module is one command: `python -m benchmarks.retrieval` and so on.

They use only what users have (`yinju.Library`, the `yinju` command), so that a figure printed here is one that a user gets.
"""
