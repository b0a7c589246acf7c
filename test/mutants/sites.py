"""test/mutants/sites.py - where tools/mutate can plant a fault in a C file, and the text that does."""
import bisect
import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ASSERTING = re.compile(r"WEIR_(?:ASSERT|CHECK|GIVEN)\w*|_Static_assert|assert\w*")
RELEASING = re.compile(r"free|close|munmap|unlink|fflush")
CONSTANT = ("ConstantExpr", "StaticAssertDecl", "UnaryExprOrTypeTraitExpr", "EnumDecl", "RecordDecl", "OffsetOfExpr", "GenericSelectionExpr")
SPACE = re.compile(r"\s|/\*.*?\*/|//[^\n]*|\\\n", re.S)
NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*")
TWIN = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "!=", "!=": "==", "+": "-", "-": "+", "+=": "-=", "-=": "+=", "++": "--", "--": "++", "&&": "||", "||": "&&"}
NEXT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
# What a fault puts in place of the bytes [begin, end): text, with {M} for the choice of the fault, and {O} for [begin, stop) as it is.
Site = collections.namedtuple("Site", "file begin end line kind text stop")


class Refusal(Exception):
    """One sentence for the user."""

    def __init__(self, sentence, status=1):
        super().__init__(sentence)
        self.status = status


def call(argv, **more):
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)


class Parser:
    """Faults of one file, from the tree that clang prints as JSON. It names a file only where that differs from the place printed before, so all
    of the tree is walked in its order."""

    def __init__(self, path, text, folder):
        self.path, self.text, self.folder = os.path.realpath(path), text, folder
        self.name, self.sites, self.real = path, [], {}
        self.file, self.lines = "", [m.start() for m in re.finditer("\n", text)]

    def place(self, loc):
        """(is it of this file, first offset, offset behind the token, macro or None) of a place as clang prints it."""
        if "spellingLoc" in loc or "expansionLoc" in loc:
            spelled, expanded = self.place(loc.get("spellingLoc", {})), self.place(loc.get("expansionLoc", {}))
            macro = re.match(r"\w*", self.text[expanded[1]:expanded[1] + 64]).group() if expanded[0] else ""
            if loc.get("expansionLoc", {}).get("isMacroArgExpansion"):
                return spelled[0] and expanded[0], spelled[1], spelled[2], macro
            return expanded[0], expanded[1], self.behind(expanded[2]) if expanded[0] else 0, "in " + macro
        if "file" in loc:
            self.file = self.real.setdefault(loc["file"], os.path.realpath(os.path.join(self.folder, loc["file"])))
        if "offset" not in loc:
            return False, 0, 0, None
        return self.file == self.path, loc["offset"], loc["offset"] + loc["tokLen"], None

    def behind(self, at):
        """The offset behind the arguments of the macro that ends at `at`."""
        match = re.compile(r"\s*\(").match(self.text, at)
        depth, i = 0, match.end() - 1 if match else len(self.text)
        while i < len(self.text):
            depth += {"(": 1, ")": -1}.get(self.text[i], 0)
            i += 1
            if depth == 0:
                return i
        return at

    def walk(self, node, parent, frozen):
        """Notes the range of each node as node["at"], and what faults it can have. frozen: constant for the compiler, or of an assertion."""
        if not isinstance(node, dict):
            return
        self.place(node.get("loc", {}))
        span = node.get("range", {})
        begin, end = self.place(span.get("begin", {})), self.place(span.get("end", {}))
        usable = begin[0] and end[0] and begin[1] < end[2]
        node["at"] = (begin[1], end[2]) if usable else None
        node["macro"] = begin[3]
        kind = node.get("kind", "")
        asserting = any(ASSERTING.fullmatch((p[3] or "").removeprefix("in ")) for p in (begin, end))
        frozen = frozen or asserting or kind in CONSTANT or \
            (kind == "VarDecl" and (node.get("storageClass") == "static" or (parent or {}).get("kind") == "TranslationUnitDecl"))
        inner = node.get("inner", [])
        for child in inner:
            self.walk(child, node, frozen)
        if usable and not frozen and parent is not None:
            self.offer(node, [c for c in inner if isinstance(c, dict)], parent)

    def of(self, node):
        return self.text[node["at"][0]:node["at"][1]]

    def add(self, node, kind, text, behind=0):
        begin, end = node["at"]
        self.sites.append(Site(self.name, begin, end + behind, bisect.bisect_left(self.lines, begin) + 1, kind, text, end))

    def offer(self, node, inner, parent):
        kind = node["kind"]
        if kind in ("BinaryOperator", "CompoundAssignOperator") and len(inner) == 2:
            self.offer_binary(node, *inner)
        elif kind == "UnaryOperator" and node.get("opcode") in ("++", "--"):
            self.offer_step(node, inner[0])
        elif kind == "IntegerLiteral" and NUMBER.fullmatch(self.of(node)) and parent.get("castKind") != "NullToPointer":
            text = self.of(node)
            self.add(node, "constant+", f"({{M}} ? {text} + 1 : {{O}})")
            if not re.fullmatch(r"0[uUlL]*", text):
                self.add(node, "constant-", f"({{M}} ? {text} - 1 : {{O}})")
        elif kind in ("IfStmt", "WhileStmt", "ConditionalOperator") and inner:
            self.offer_condition(inner[0])
        elif kind == "CallExpr" and inner[0].get("at"):
            self.offer_call(inner[0])
        self.offer_drop(node, inner, parent)

    def offer_binary(self, node, left, right):
        sign = node["opcode"]
        if not left.get("at") or not right.get("at") or node["at"] != (left["at"][0], right["at"][1]):
            return
        if SPACE.sub("", self.text[left["at"][1]:right["at"][0]]) != sign or sign not in TWIN:
            return
        a, b = self.of(left), self.of(right)
        pointers = [is_pointer(left), is_pointer(right)]
        if sign in NEXT:
            self.add(node, "swap", f"({{M}} ? ({a}) {TWIN[sign]} ({b}) : {{O}})")
            moved = "+" if sign in ("<", ">=") else "-"  # what `<=` for `<`, and `>` for `>=`, does to the limit
            self.add(node, "limit" + moved, f"({{M}} ? ({a}) {NEXT[sign]} ({b}) : {{O}})")
            if not any(pointers):
                self.add(node, "limit" + ("-" if moved == "+" else "+"), f"({{M}} ? ({a}) {sign} ({b}) {TWIN[moved]} 1 : {{O}})")
        elif sign in ("==", "!="):
            self.add(node, "negate", f"({{M}} ? ({a}) {TWIN[sign]} ({b}) : {{O}})")
        elif sign in ("&&", "||"):
            self.add(node, "logic", f"({{M}} ? ({a}) {TWIN[sign]} ({b}) : {{O}})")
        elif sign in ("+", "-") and not pointers[1]:
            self.add(node, "sign", f"({{M}} ? ({a}) {TWIN[sign]} ({b}) : {{O}})")
        elif sign in ("+=", "-=") and not re.search(r"\+\+|--|\(", a):
            self.add(node, "sign", f"({{M}} ? ({a} {TWIN[sign]} {b}) : ({{O}}))")

    def offer_step(self, node, operand):
        if operand.get("at") and not re.search(r"\+\+|--", self.of(operand)):
            text = self.of(node)
            if text.count(node["opcode"]) == 1:
                self.add(node, "sign", f"({{M}} ? {text.replace(node['opcode'], TWIN[node['opcode']])} : {{O}})")

    def offer_condition(self, condition):
        if condition.get("at") and condition.get("macro") in (None, "WEIR_LIKELY", "WEIR_UNLIKELY", "in WEIR_LIKELY", "in WEIR_UNLIKELY"):
            self.add(condition, "negate", "({M} ^ !!({O}))")

    def offer_call(self, callee):
        match = re.fullmatch(r"(weir_)(min|max)(_\w+)", self.of(callee))
        if match:
            other = match[1] + ("max" if match[2] == "min" else "min") + match[3]
            self.add(callee, "minmax", f"({{M}} ? {other} : {{O}})")

    def offer_drop(self, node, inner, parent):
        is_alone = parent["kind"] in ("CompoundStmt", "CaseStmt", "DefaultStmt", "LabelStmt") or \
            (parent["kind"] in ("IfStmt", "WhileStmt", "ForStmt", "DoStmt") and node is not next((c for c in parent["inner"] if c), None))
        if not is_alone or node["macro"]:
            return
        kind = node["kind"]
        does = kind in ("BreakStmt", "ContinueStmt", "CallExpr", "CompoundAssignOperator") or (kind == "BinaryOperator" and node["opcode"] == "=") or \
            (kind == "UnaryOperator" and node.get("opcode") in ("++", "--")) or (kind == "CStyleCastExpr" and inner and inner[0]["kind"] == "CallExpr")
        match = re.compile(r"\s*;").match(self.text, node["at"][1])
        if does and match and not (kind in ("CallExpr", "CStyleCastExpr") and RELEASING.search(self.of(node).partition("(")[0] or self.of(node))):
            self.add(node, "drop", "{ if (!{M}) { {O}; } }", match.end() - node["at"][1])


def is_pointer(node):
    kind = node.get("type", {}).get("desugaredQualType", node.get("type", {}).get("qualType", ""))
    return "*" in kind or "[" in kind


def flags_of(entry):
    """The command of compile_commands.json, for parsing by clang alone."""
    words, out = shlex.split(entry["command"]), []
    while words:
        word = words.pop(0)
        if word in ("-o", "-MF", "-MQ", "-include"):
            words.pop(0)
        elif word not in ("-c", "-MD", "-MMD") and not word.startswith("-fdiagnostics"):
            out.append(word)
    return ["clang", *[w for w in out if w != "ccache"][1:]]


def parse(path, entry):
    """All Sites of a file, which the source of `entry` is or includes."""
    sys.setrecursionlimit(20000)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.isascii():
        return []  # clang counts bytes
    # where `clang` is ccache's link, ccache would compile what it has preprocessed, and the tree would name other places
    done = call([*flags_of(entry), "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json"], cwd=entry["directory"], env={**os.environ, "CCACHE_DISABLE": "1"})
    if done.returncode != 0:
        raise Refusal(f"clang cannot parse {path}: {done.stderr.strip()[:300]}")
    parser = Parser(path, text, entry["directory"])
    parser.walk(json.loads(done.stdout), None, False)
    return sorted(set(parser.sites))


def apply(text, numbered, begin=0, end=None):
    """The bytes [begin, end) of the text with faults, [(number, Site)]; one may be within another."""
    left, out, at = sorted(numbered, key=lambda pair: (pair[1].begin, -pair[1].end)), [], begin
    end = len(text) if end is None else end
    while left:
        (number, site), left = left[0], left[1:]
        inner = [pair for pair in left if pair[1].begin < site.end]
        left = left[len(inner):]
        as_is = apply(text, inner, site.begin, site.stop)
        out += [text[at:site.begin], re.sub(r"\{([MO])\}", lambda m: f"WEIR_MUTANT({number})" if m[1] == "M" else as_is, site.text)]
        at = site.end
    return "".join(out) + text[at:end]


def put(path, data):
    """Writes a file if it differs: what is as before is not compiled again."""
    try:
        with open(path, "rb") as file:
            if file.read() == data:
                return
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


PLANTED = """#define MOST(a, b) ((a) < (b) ? (b) : (a))
int most = MOST(1, 2); void weir_check(int); int weir_min_u32(int, int); int weir_max_u32(int, int);
int f(int a, unsigned b, int *p);
int f(int a, unsigned b, int *p)
{
    static int kept = 7;
    char room[4 + 1];
    if (a < 3)
        b += 2u;
    switch (a) {
    case 5:
        break;
    }
    while (p != (int *)0 && MOST(a, 1) > a)
        weir_check(a - kept);
    return a <= 0 ? weir_min_u32(a, (int)sizeof(room)) : a++;
}
"""
WANTED = {(8, "limit-"), (8, "limit+"), (8, "swap"), (8, "negate"), (8, "constant+"), (8, "constant-"), (9, "drop"), (9, "sign"), (9, "constant+"), (9, "constant-"),
          (12, "drop"), (14, "negate"), (14, "logic"), (14, "constant+"), (14, "constant-"), (14, "limit-"), (14, "limit+"), (14, "swap"), (15, "sign"), (15, "drop"),
          (16, "negate"), (16, "limit-"), (16, "limit+"), (16, "swap"), (16, "constant+"), (16, "minmax"), (16, "sign")}


def self_test():
    """Finds the faults of a small text, and compiles each of them."""
    if not shutil.which("clang"):
        print("self-test: clang is not installed: left out")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "planted.c")
        entry = {"command": f"clang -c {path}", "directory": folder}
        put(path, PLANTED.encode())
        sites = parse(path, entry)
        found = {(s.line, s.kind) for s in sites}
        faults = [f"{'not found' if pair in WANTED else 'found'}: line {pair[0]}, {pair[1]}" for pair in sorted(found ^ WANTED)]
        for some in [[pair] for pair in enumerate(sites)] + [list(enumerate(sites))]:
            put(path, apply(PLANTED, some).encode())
            done = call(["clang", "-w", "-fsyntax-only", "-include", os.path.join(os.path.dirname(os.path.abspath(__file__)), "mutant.h"), path])
            faults += [f"line {some[0][1].line}, {some[0][1].kind}: {done.stderr.splitlines()[0]}"] if done.returncode else []
    print("\n".join("self-test: " + f for f in faults) if faults else f"self-test: {len(sites)} faults found and compiled")
    return 1 if faults else 0
