#!/usr/bin/env python3
"""test/cli/manual.py WEIR - what is written about commands and options is what there is.

Of each command, the options in `--help`, in the manual page and in the completion of each shell are the same. The command takes each of
them, and each row of its tables of options is among them. Shells and groff judge their files where they are installed. The version is the same everywhere.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

OPTION = re.compile(r"--?[a-z][a-z-]*")
HEAD = re.compile(r"^  (-\S.*?)(?:  |$)", re.M)
ALWAYS = {"--help"}
WORDS = {"model": [["rpm"], ["phantom"]], "reproduce": [[], ["sird-testbed"]]}  # what has options of its own behind the command
failures, checks = [], 0


def holds(what, condition):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print("not ok:", what)


def same(what, found, wanted):
    holds(f"{what}: too many {sorted(found - wanted)}, missing {sorted(wanted - found)}", found == wanted)


def weir(*args, cwd=None):
    return subprocess.run([program, *args], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)


def names(heads):
    """Option names of heads such as `--driver D, --device NAME`: each begins the head or follows a comma."""
    return {option for head in heads for option in re.findall(rf"(?:^|, )({OPTION.pattern})", head)}


def manual(command):
    """(where it is, text)"""
    written = f"doc/man/weir-{command}.1"
    if os.path.exists(written):
        with open(written, encoding="utf-8") as file:
            return written, file.read()
    return f"help --man {command}", weir("help", "--man", command).stdout


def manual_options(text):
    found = set()
    for line in re.findall(r"^\.It (Fl .*)", text, re.M):
        found |= {"-" + name.replace("\\", "") for name in re.findall(r"\bFl (\S+)", line)}
    return found


def tables():
    """[(commands, options)] of each source file with a table of options; commands: those that it reads options for."""
    for path in sorted(glob.glob("src/commands/cli/*.c") + glob.glob("src/commands/live/*.c")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        rows = re.findall(r'\.name = "(-[^"]+)"', text) + re.findall(r'WEIR_PARAM_\w+\(\s*"(--[^"]+)"', text)
        rows += ["--wait"] * ("WEIR_WAIT_OPTION(" in text) + ["--keep-messages"] * ("WEIR_KEEP_OPTION(" in text)
        if rows:
            yield path, re.findall(r'\.command = "(\w+)"', text), set(rows) - ALWAYS - {"-h"}


def check_program(commands, options):
    for command in commands:
        holds(f"{command}: --help", weir(command, "--help").returncode == 0)
        for option in options[command]:
            tried = [option + "=" if option.startswith("--") else option, "--no-such-option"]
            with tempfile.TemporaryDirectory() as folder:  # `playground -o` takes the last word for its file, and writes it
                refusals = [weir(command, *words, *tried, cwd=folder).stderr for words in WORDS.get(command, [[]])]
            holds(f"{command} takes {option}: {refusals}", not all(f"{option}: no such option" in r for r in refusals))
    with open("src/commands/cli/main.c", encoding="utf-8") as file:
        same("commands in `weir --help`", set(commands), set(re.findall(r'\{ "(\w+)", weir_cli_\w+ \}', file.read())))
    seen = 0
    for path, of, rows in tables():
        documented = set().union(*(options[c] for c in (of or commands)))
        holds(f"{path}: not in the usage of {', '.join(of) or 'any command'}: {sorted(rows - documented)}", rows <= documented)
        seen += len(rows)
    holds(f"tables of options are found: {seen} rows", seen > 90)


def check_manuals(commands, options, folder):
    pages = [page for page in sorted(glob.glob("doc/man/*.[0-9]")) if os.path.getsize(page) > 100]  # not those that name another one
    with open("doc/man/meson.build", encoding="utf-8") as file:
        installed = file.read()
    with open("doc/man/weir.1", encoding="utf-8") as file:
        overview = file.read()
    same("commands in weir(1)", set(re.findall(r"^\.It Cm (\w+)", overview, re.M)), set(commands))
    for command in commands:
        where, text = manual(command)
        same(where, manual_options(text) - {*ALWAYS, "-h"}, options[command])
        holds(f"{where}: its page is installed", f"'{command}'" in installed or f"'weir-{command}.1'" in installed)
        if not os.path.exists(where):
            pages.append(os.path.join(folder, command + ".1"))
            with open(pages[-1], "w", encoding="utf-8") as file:
                file.write(text)
    pages.append(os.path.join(folder, "scenario.5"))
    with open(pages[-1], "w", encoding="utf-8") as file:
        file.write(weir("help", "--man", "scenario").stdout)
    pages += library_pages(folder)
    if shutil.which("groff"):
        judged = subprocess.run(["groff", "-mandoc", "-ww", "-z", "-Tutf8", *pages], capture_output=True, text=True, check=False)
        holds(f"groff: {judged.stderr}", judged.returncode == 0 and not judged.stderr)
    if shutil.which("mandoc"):
        judged = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *pages], capture_output=True, text=True, check=False)
        holds(f"mandoc: {judged.stdout}", judged.returncode == 0 and not judged.stdout)


def library_pages(folder):
    """The pages of libweirsim: one for each function of its map, with the sections that such a page has."""
    with open("src/simulator/session/libweirsim.map", encoding="utf-8") as file:
        functions = re.findall(r"(weir_sim_\w+);", file.read())
    made = subprocess.run(["tools/header_manual", "include/weir/sim.h", "title", "libweirsim", folder, *functions],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    holds(f"header_manual: {made.stderr}", made.returncode == 0)
    pages = [os.path.join(folder, name + ".3") for name in ["libweirsim", *functions]]
    for page in pages[1:]:
        with open(page, encoding="utf-8") as file:
            text = file.read()
        holds(f"{page}: has its sections", all(f".Sh {head}\n" in text for head in ("NAME", "SYNOPSIS", "DESCRIPTION", "SEE ALSO")))
    refused = subprocess.run(["tools/header_manual", "include/weir/sim.h", "title", "libweirsim", folder, *functions[1:]],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    holds(f"header_manual: a function that is not exported: {refused.stderr}", refused.returncode == 1 and functions[0] in refused.stderr)
    return pages


def check_testbed():
    """weir-testbed(1) has the options that `weir-testbed help` lists."""
    called = subprocess.run(["sh", "tools/testbed", "help"], capture_output=True, text=True, check=False).stdout
    with open("doc/man/weir-testbed.1", encoding="utf-8") as file:
        same("options of weir-testbed(1)", manual_options(file.read()), set(re.findall(r"(?<![\w-])--[a-z]+", called)))


def check_scenario():
    """weir-scenario(5) has the keys of doc/scenario.md, in its order."""
    with open("doc/scenario.md", encoding="utf-8") as file:
        keys = [row.split("|")[1].strip() for row in file if re.match(r"\| (?!key +\| allowed)\S", row)]
    page = weir("help", "--man", "scenario").stdout
    found = [key.replace("\\-", "-") for key in re.findall(r'^\.It Cm "\\&(.*)"$', page, re.M)]
    holds("weir-scenario(5) has the keys of doc/scenario.md", found == keys and len(keys) > 200)


def check_completion(commands, options, folder):
    files = {shell: weir("help", "--completion", shell).stdout for shell in ("bash", "zsh", "fish")}
    for shell, text in files.items():
        path = os.path.join(folder, shell)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        if shutil.which(shell):
            judged = subprocess.run([shell, "-n", path], capture_output=True, text=True, check=False)
            holds(f"{shell}: {judged.stderr}", judged.returncode == 0 and not judged.stderr)
    for command in commands:
        words = re.search(rf"^        {command}\) words='(.*?)'", files["bash"], re.M).group(1).split()
        same(f"bash, {command}", {w for w in words if w[0] == "-"}, options[command] | ALWAYS)
        block = re.search(rf"^        {command}\) _arguments(.*?);;", files["zsh"], re.M | re.S).group(1)
        same(f"zsh, {command}", set(re.findall(rf"'\*({OPTION.pattern})\[", block)), options[command] | ALWAYS)
        rows = re.findall(rf"^complete -c weir -n '__fish_seen_subcommand_from {command}' -(l|s) (\S+)", files["fish"], re.M)
        same(f"fish, {command}", {"--" + n if kind == "l" else "-" + n for kind, n in rows}, options[command] | ALWAYS)
    papers = re.search(r"^        reproduce\) words='(.*?)'", files["bash"], re.M).group(1).split()
    listed = re.findall(r"^  (\S+) +\S", weir("list", "experiments").stdout.split("\nin ")[0], re.M)
    same("papers", {p for p in papers if p[0] != "-"}, set(listed) - {"experiment"})
    for what in re.search(r"^        list\) words='(.*?)'", files["bash"], re.M).group(1).split():
        holds(f"weir list {what}", weir("list", what).returncode == 0)
    check_names(files, commands)
    for typed, wanted in TYPED.items():
        words = typed.split(" ")
        asked = f'. {folder}/bash; COMP_WORDS=("$@"); COMP_CWORD={len(words) - 1}; _weir; echo "${{COMPREPLY[*]}}"'
        found = subprocess.run(["bash", "-c", asked, "bash", *words], capture_output=True, text=True, check=False)
        holds(f"bash completes {typed}: {found.stdout}{found.stderr}", found.stdout == wanted + "\n" and found.stderr == "")


# What is typed, the words as bash splits them, and what is offered for the last one.
TYPED = {"weir compare x.yaml --protocols dctc": "dctcp", "weir compare x.yaml --protocols dctcp,dcq": "dctcp,dcqcn",
         "weir reproduce sird --protocol hom": "homa", "weir run x.yaml --set protocol.na": "protocol.name=",
         "weir run x.yaml --set protocol.name = dctc": "dctcp", "weir run x.yaml --set traffic[0].kin": "traffic[0].kind=",
         "weir run x.yaml --set topology.kind = s": "star", "weir run x.yaml --set host.handshake =": "false true",
         "weir help goodput_comp": "goodput_completed_gbps", "weir help base-R": "base-RTT", "weir help shared-b": "shared-buffer", "weir list feat": "features",
         "weir run x.yaml --set run.seed = 1": ""}


def check_names(files, commands):
    """Protocols, keys and names in the completion of each shell are those of the tables."""
    shells = {"bash": r"local keys='(.*?)'$", "zsh": r"local -a keys=\((.*?)\)$", "fish": r"^function __weir_set\n    printf '%s\\n' (.*?)$"}
    keys = {shell: {word.strip("'")[:-1] for word in re.search(pattern, files[shell], re.M).group(1).split() if word.strip("'")[-1] == "="}
            for shell, pattern in shells.items()}
    with open("doc/scenario.md", encoding="utf-8") as file:
        page = file.read()
    written = {"name", "protocol.name", "protocol.preset", "framing.preset", "fabric.events", "fabric.switches", "hosts",
               "traffic[0].protocol.name", "traffic[0].protocol.preset", "traffic[0].deploy.protocol.name",
               "traffic[0].deploy.protocol.preset"}
    for section, table in re.findall(r"^###? (section `\S+|protocol `)\S*`\n(.*?)(?=^##|\Z)", page, re.M | re.S):
        path = section.removeprefix("section `").removesuffix("`") if section.startswith("section") else "protocol"
        path = {"traffic": "traffic[0]", "traffic.deploy": "traffic[0].deploy"}.get(path, path)
        written |= {f"{path}.{key}" for key in re.findall(r"^\| (\w+) +\| (?!allowed )", table, re.M) if path not in ("fabric.events", "fabric.loss", "fabric.delay_variation", "fabric.switches", "hosts")}
    for shell, found in keys.items():
        same(f"keys that {shell} completes", found, written)
    protocols = set(re.findall(r"^  ([a-z]+) ", weir("list", "protocols").stdout, re.M)) - {"protocol"}
    features = set(re.findall(r"^  ([a-z-]+) ", weir("list", "features").stdout, re.M)) - {"feature"}
    same("protocols", set(re.search(r"local protocols='(.*?)'", files["bash"]).group(1).split()), protocols)
    names = set(re.search(r"^        help\) words='(.*?)'", files["bash"], re.M).group(1).split())
    holds(f"help names: missing {(protocols | features | set(commands)) - names}", protocols | features | set(commands) <= names)
    for name in ("slowdown", "shared-buffer", "dctcp", "run", "base-RTT", "wkc", "fabric.ecn"):
        holds(f"weir help {name}", weir("help", name).returncode == 0 and name in names)


def check_refusals():
    for args, said in ((("--man",), "--man: of what?"), (("--man", "rnu"), "'run'"), (("--completion", "ksh"), "bash, zsh, fish"),
                       (("--man", "run", "sweep"), "sweep: one argument too many")):
        got = weir("help", *args)
        holds(f"help {args}: {got.stderr}", got.returncode == 2 and said in got.stderr and got.stdout == "")


def first(path, pattern):
    with open(path, encoding="utf-8") as file:
        return re.search(pattern, file.read(), re.M).group(1)


def check_version():
    version = first("meson.build", r"^project\(.*version: '([\d.]+)'")
    same("version", {weir("--version").stdout.split()[1], first("CITATION.cff", r"^version: (\S+)"), first("CHANGELOG.md", r"^## ([\d.]+)"),
                     first("debian/changelog", r"^weir \(([\d.]+)-")}, {version})


program = os.path.abspath(sys.argv[1])
every = re.findall(r"^  weir (\w+)", weir("--help").stdout, re.M)
taken = {command: names(HEAD.findall(weir(command, "--help").stdout)) for command in every}
with tempfile.TemporaryDirectory() as temporary:
    check_program(every, taken)
    check_manuals(every, taken, temporary)
    check_testbed()
    check_scenario()
    check_completion(every, taken, temporary)
    check_refusals()
    check_version()
print(f"{checks} checks, {len(failures)} failures")
sys.exit(1 if failures or checks < 250 else 0)
