"""A server under load: `python -m benchmarks.load --minutes 60`.

`corpus` makes documents and questions, `served` runs and watches the server, `clients` ask, `attacks` are those who do no good; `__main__` puts
them into phases and prints what was measured.
"""
