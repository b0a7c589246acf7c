"""Weir: datacenter congestion control, simulated.

`weir.Session` drives a simulation from Python, by the library libweirsim. `weir.run()` and `weir.compare()` call the
command `weir`. Python needs no compiler and no other package; where pandas is there, results can become DataFrames.
"""
from .command import compare, run
from .sim import COMPLETED, DELIVERED, NEVER, TIMER, Counts, Error, Event, Session

__all__ = ["COMPLETED", "DELIVERED", "NEVER", "TIMER", "Counts", "Error", "Event", "Session", "compare", "run"]
