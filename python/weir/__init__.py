"""Weir: datacenter congestion control, simulated.

`weir.Session` drives a simulation from Python, by the library libweirsim. `weir.run()`, `weir.compare()` and `weir.sweep()` call the
command `weir`. Python needs no compiler and no other package; where pandas is there, results have DataFrames. `weir.keys` has the keys of
scenarios. `import weir.net` sends messages between servers, by the library libweir. doc/python.md.
"""
from . import keys, sim
from .sim import (COMPLETED, DELIVERED, MS, NEVER, S, TIMER, US, Counts, Error, Event, Host, Link, Result, Runs, Session, Snapshot,
                  compare, explain, run, sweep)

__all__ = ["COMPLETED", "DELIVERED", "MS", "NEVER", "S", "TIMER", "US", "Counts", "Error", "Event", "Host", "Link", "Result", "Runs",
           "Session", "Snapshot", "compare", "explain", "keys", "run", "sim", "sweep"]
