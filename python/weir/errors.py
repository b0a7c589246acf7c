"""The one class of exceptions of this package."""


class Error(Exception):
    """What a session, or the command `weir`, refuses or did not do.

    code is 'scenario', 'argument', 'past', 'started', 'call', 'call-back', 'over', 'run', 'file', 'digest', 'memory' or 'command'.
    file, line and column say where a scenario is wrong, and where a call-back raised what is now __cause__; line 0 = the error has no
    position. hint says what to do, and may be empty.
    """

    def __init__(self, text: str, code: str = "argument", file: str = "", line: int = 0, column: int = 0, hint: str = ""):
        where = f"{file}:{line}:{column}: " if column else f"{file}:{line}: " if line else f"{file}: " if file else ""
        super().__init__(where + text + (f" ({hint})" if hint else ""))
        self.text, self.code, self.file, self.line, self.column, self.hint = text, code, file, line, column, hint
