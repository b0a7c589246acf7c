"""Finds and loads the libraries of Weir."""
import ctypes
import ctypes.util
import os
import pathlib

from typing import Any, Iterable, Sequence, Tuple

from .errors import Error


def load(library: str, variable: str, abi: int) -> ctypes.CDLL:
    """Loads lib<library>.so: the file that an environment variable names, or one beside a build of this tree, or that of the system. abi:
    the version in its soname."""
    tree = pathlib.Path(__file__).resolve().parents[2]
    names = [os.environ.get(variable), *(str(tree / build / f"lib{library}.so") for build in ("build", "build/plain")),
             ctypes.util.find_library(library), f"lib{library}.so.{abi}"]
    for name in names:
        if name is None or (os.path.isabs(name) and not os.path.exists(name) and name != names[0]):
            continue
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            if name == names[0]:
                raise Error(f"{variable}: {error}", "command") from error
    raise Error(f"lib{library} is not here", "command", hint=f"install it, or set {variable} to its file")


def declare(lib: ctypes.CDLL, prefix: str, functions: Iterable[Tuple[str, Any, Sequence[Any]]]) -> None:
    """Says what functions return and take: each by its name without the prefix."""
    for name, result, arguments in functions:
        function = getattr(lib, prefix + name)
        function.restype, function.argtypes = result, arguments


def check_abi(library: str, version: int, known: int) -> None:
    """Refuses a library whose interface this package does not know."""
    if version != known:
        raise Error(f"lib{library} has version {version} of its interface, and this package knows {known}", "command")
