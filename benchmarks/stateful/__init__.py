"""A library under random histories, held against a dict: `python -m benchmarks.stateful --examples 2000 --steps 100`.

`oracle` says what a library of these files has to hold, from pure functions alone; `world` is the folder, the library and the dict; `checks`
hold one against the other; `machine` is the table of what can happen; `mutations` are faults that are planted to see that they are caught.
"""
