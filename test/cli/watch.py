#!/usr/bin/env python3
"""test/cli/watch.py - weir run --live, as a browser drives it: the page here is a small one. Frames come as they are confirmed, commands
change the run, what was done is a timeline with the same digest, and wrong callers get one sentence.
usage: watch.py BINARY"""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import spaces

WAIT_S = 60  # for an answer: only what hangs is ended
LEAVES = """topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us}
protocol: %s
traffic: [{kind: poisson, sizes: wkc, load: 50%%}, {kind: jobs, file: jobs.yaml}]
run: {warmup: 50 us, measure: 200 us}
"""
JOBS = "jobs: [{name: copy, flows: [{name: a, from: 0, to: 5, size: 1 MB}, {name: b, from: 1, to: 5, size: 10 KB}]}]\n"
DONE = """topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: dctcp
traffic: [{kind: permutation, size: 1 MB}]
run: {warmup: 0 us, measure: all}
"""
failures = 0


def same(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"not ok: {what}: {found!r}, not {wanted!r}")


class Live:
    """A run with its page open: events are read as they come."""
    started = []  # the processes of all

    def __init__(self, weir, *args):
        self.process = subprocess.Popen([weir, "run", *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        Live.started.append(self.process)
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/;", self.process.stderr.readline())
        self.port, self.token, self.stream = int(found[1]), found[2], None

    def ask(self, method, path, body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        c.request(method, path, body)
        answer = c.getresponse()
        text = answer.read().decode()
        c.close()
        return answer.status, text

    def do(self, command):
        return self.ask("POST", f"/{self.token}/do", command)

    def open(self):
        """Opens the stream. While that of a page that has left ends, weir asks to come again."""
        while True:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
            self.connection.request("GET", f"/{self.token}/events")
            self.stream = self.connection.getresponse()
            same("the stream's type", self.stream.getheader("Content-Type"), "text/event-stream")
            if not self.stream.peek(1).startswith(b"retry"):
                return
            self.connection.close()

    def leave(self):
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.stream.close()
        self.connection.close()

    def event(self):
        name = data = None
        for line in iter(self.stream.readline, b"\n"):
            if not line:
                sys.exit(f"not ok: the run has ended: {self.process.communicate(timeout=WAIT_S)[1]}")
            key, _, value = line.decode().rstrip("\n").partition(": ")
            name, data = (value, data) if key == "event" else (name, value)
        return name, json.loads(data)

    def frame(self):
        """The next frame, which is confirmed."""
        name, frame = self.event()
        same("a frame comes", name, "frame")
        same("it is confirmed", self.do(f"confirmed {frame['frame']}")[0], 200)
        return frame

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, out, err


def digest_of(weir, *args):
    done = subprocess.run([weir, "run", *args, "--json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    same(f"{args} is done", done.returncode, 0)
    return json.loads(done.stdout)["digest"]


def to_the_end(live):
    """Frames to the end of the run; returns the last one, and the event of the end."""
    frame = None
    while True:
        name, data = live.event()
        if name == "end":
            return frame, data
        frame = data
        live.do(f"confirmed {frame['frame']}")


def untouched(weir, threads):
    live = Live(weir, "net.yaml", "--live", "--json", "--threads", threads)
    live.do("speed 3000000")
    live.open()
    name, about = live.event()
    same("first what the run is", (name, about["protocol"], about["hosts"], len(about["links"]), about["end_ps"]), ("about", "dctcp", 8, 24, 250000000))
    same("cables may change, weights not", (about["can_cut"], about["can_weigh"]), (True, False))
    same("jobs", about["jobs"], [{"name": "copy", "flows": 2}])
    frame = live.frame()
    same("it waits for play", (frame["state"], frame["at_ps"]), ("paused", 0))
    same("a step is one", live.do("step")[0], 200)
    frame = live.frame()
    same("it is one step further", (frame["state"], frame["at_ps"], len(frame["ports"])), ("paused", 3000000, 96))
    live.do("pace 0")
    live.do("play")
    frame, end = to_the_end(live)
    same("the last frame", (frame["state"], frame["at_ps"], frame["jobs"]), ("over", 250000000, [2, frame["jobs"][1]]))
    status, out, _ = live.end()
    result = json.loads(out)
    same("status after the end", status, 0)
    same("the result is that of the page", result["digest"], end["digest"])
    same("messages", frame["completed"], result["messages_completed"])
    same("untouched, it is the plain run", end["digest"], digest_of(weir, "net.yaml"))
    same("nothing was done", end["timeline"], "")


def changed(weir):
    """Cuts, holds, mends and weighs; the timeline repeats it, on several threads."""
    live = Live(weir, "weights.yaml", "--live", "--json", "--write-timeline", "done.txt", "-o", "done.db")
    live.open()
    about = live.event()[1]
    same("both may change", (about["can_cut"], about["can_weigh"]), (True, True))
    live.frame()
    live.do("speed 20000000")
    live.do("step")
    frame = live.frame()
    host, number = frame["open"][0:2]
    first = live.do("cut leaf 0 - spine 1")
    same("a cut", (first[0], first[1].endswith(" us cut leaf 0 - spine 1")), (200, True))
    same("a hold of the same instant", live.do("hold spine 0 - leaf 1")[0], 200)
    same("a weight, now", live.do(f"weight 4 host {host} message {number}"), (200, f"20 us weight 4 host {host} message {number}"))
    same("that of a job", live.do("weight 2 copy/a"), (200, "20 us weight 2 copy/a"))
    same("its law is shown", live.do(f"watch {host} {number}")[0], 200)
    for text, why in (("cut leaf 7", "no cable, switch or host has the name 'leaf 7'."), ("cut", "cut: what?."), ("shout", "There is no command 'shout'."),
                      ("weight 2 host 9 message 0", "host 9: the topology has hosts 0 to 7."), ("weight 0 copy/a", "weight 0: must be from 0.001 to 1000000."),
                      ("weight 2 host 0 message 99999", "at 20 us this message has not started."), ("hold spine 0", "hold: 'spine 0' is no cable, and has no queue in which packets could wait."),
                      ("confirmed 99", "No such frame was sent."), ("speed 0", "A step is a whole number of picoseconds, 1 to 2^50 - 1."), ("play\npause", "A command is one line."),
                      ("x" * 512, "The command is too long.")):
        same(f"refused: {text[:20]}", live.do(text), (400, why))
    same("the longest command", live.do("x" * 511), (400, f"There is no command '{'x' * 40}'."))
    live.frame()
    live.do("step")
    frame = live.frame()
    names = [about["links"][i]["name"] for i in frame["down"]]
    same("what is down", names, ["leaf 0 > spine 1", "leaf 1 > spine 0", "spine 0 > leaf 1", "spine 1 > leaf 0"])
    same("the law of the message", frame["law"][0:2], [host, number])
    same("it has a window and no rate of its own", (frame["law"][2] > 0, frame["law"][3]), (True, 0))
    live.leave()  # and load the page again
    live.open()
    same("a page that comes back", live.event()[0], "about")
    live.frame()
    live.do("mend leaf 0 - spine 1")
    live.do("mend leaf 1 - spine 0")
    live.frame()
    live.do("pace 0")
    live.do("play")
    _, end = to_the_end(live)
    same("nothing is changed any more", live.do("mend leaf 0 - spine 1"), (400, "The run is over."))
    status, out, _ = live.end()
    with open("done.txt", encoding="utf-8") as file:
        text = file.read()
    same("what was done is in the file", text, end["timeline"])
    same("status", status, 0)
    same("lines in order of time", [line.split()[2] for line in text.splitlines()], ["weight", "weight", "cut", "hold", "mend", "mend"])
    for threads in "1", "2":
        same("the timeline repeats it", digest_of(weir, "weights.yaml", "--timeline", "done.txt", "--threads", threads), json.loads(out)["digest"])
    same("it changed the run", end["digest"] != digest_of(weir, "weights.yaml"), True)
    same("the result file has what was done", timelines(weir, "done.db"), ["; ".join(text.splitlines())])
    subprocess.run([weir, "run", "weights.yaml", "--timeline", "done.txt", "-o", "done.db"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    same("and the scenario of that timeline", *scenarios(weir, "done.db"))


def only_weighed(weir):
    """What was announced and not used is not in the result file: the run and its timeline are of one scenario."""
    for changes in "", "20 us weight 4 host 0 message 0\n":
        live = Live(weir, "weights.yaml", "--live", "--json", "-o", "weighed.db")
        live.open()
        live.event()
        live.frame()
        live.do("speed 20000000")
        live.do("step")
        live.frame()
        if changes:
            same("a weight, now", live.do("weight 4 host 0 message 0"), (200, changes.strip()))
        live.do("pace 0")
        live.do("play")
        to_the_end(live)
        same("status", live.end()[0], 0)
        with open("weight.txt", "w", encoding="utf-8") as file:
            file.write(changes)
        subprocess.run([weir, "run", "weights.yaml", "--timeline", "weight.txt", "-o", "weighed.db"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    found = scenarios(weir, "weighed.db")
    same("left alone, it is the plain scenario", found[0], found[1])
    same("weighed, it is that of the timeline", found[2], found[3])
    same("which is no other but for its timeline", found[2].split("\n", 1)[1], found[0])


def exported(weir, db, table):
    done = subprocess.run([weir, "export", db, "--table", table, "--format", "json"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["rows"]


def scenarios(weir, db):
    return [run["scenario"] for run in exported(weir, db, "run")]


def timelines(weir, db):
    """What the scenario of each run in a result file says of its timeline; None = nothing."""
    found = [re.match(r'timeline: "(.*)"\nname: ', run["scenario"]) for run in exported(weir, db, "run")]
    return [f and f[1] for f in found]


TIMELINES = {"none.txt": "# nothing\n", "cut.txt": "100 us cut leaf 0 - spine 1\n", "same.txt": "# likewise\n0.1 ms  cut  leaf 0 - spine 1\n",
             "two.txt": "100 us cut leaf 0 - spine 1\n150 us mend leaf 0 - spine 1\n", "late.txt": "200 us cut leaf 0 - spine 1\n"}
AS_EVENTS = "fabric: {events: [{time: 100 us, cable: leaf 0 - spine 1, state: down}]}\n"


def recorded(weir):
    """A result file has the timelines, as a setting by which runs differ: runs with different ones are no set."""
    for name, text in TIMELINES.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    for seed, name in ((1, "none.txt"), (1, "cut.txt"), (2, "same.txt"), (1, "two.txt")):
        subprocess.run([weir, "run", "net.yaml", "--timeline", name, "--set", f"run.seed={seed}", "-o", "t.db"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    same("timelines of the runs", timelines(weir, "t.db"), [None, *2 * ["100 us cut leaf 0 - spine 1"], "100 us cut leaf 0 - spine 1; 150 us mend leaf 0 - spine 1"])
    page = subprocess.run([weir, "report", "t.db", "-o", "-"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, env={"PATH": "/nowhere"}).stdout
    labels = "timeline=none", "timeline=100 us cut leaf 0 - spine 1, 2 seeds", "timeline=100 us cut leaf 0 - spine 1; 150 us mend leaf 0 - spine 1"
    same("scenarios by their sets", sorted(re.findall(r"Scenario of ([^<]*)<", page)), sorted(labels))
    only = subprocess.run([weir, "report", "t.db", "--only", "timeline=*mend*", "-o", "only.html"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, env={"PATH": "/nowhere"})
    same("one of them has a mend", re.search("html: (1 run),", only.stderr + only.stdout) is not None, True)


def digest_until(weir, file, until, *args):
    done = subprocess.run([weir, "run", file, "--digest-until", until, "--json", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    same(f"{args} until {until}", done.returncode, 0)
    return done.stdout


def packets_until(weir):
    """--digest-until goes with --timeline: it is that of the scenario with the same events."""
    with open("net.yaml", encoding="utf-8") as plain, open("events.yaml", "w", encoding="utf-8") as file:
        file.write(plain.read() + AS_EVENTS)
    for until in "99 us", "150 us":
        same(f"of events, until {until}", digest_until(weir, "net.yaml", until, "--timeline", "cut.txt"), digest_until(weir, "events.yaml", until))
    plain = digest_until(weir, "net.yaml", "99 us")
    same("before the cut it is that of the plain run", digest_until(weir, "net.yaml", "99 us", "--timeline", "cut.txt"), plain)
    same("a change that comes later is none", digest_until(weir, "net.yaml", "99 us", "--timeline", "late.txt"), plain)
    same("the cut matters", digest_until(weir, "net.yaml", "150 us", "--timeline", "cut.txt") != digest_until(weir, "net.yaml", "150 us"), True)


def wrong_callers(weir):
    live = Live(weir, "done.yaml", "--live")
    wrong = (403, "The address lacks the right token: open the one that weir run --live has printed.\n")
    for path in "/", "/" + "0" * 32 + "/", "/" + live.token[:31] + "/", f"/{live.token}x/", f"/x{live.token}/":
        same(f"a wrong token, {path[:5]}", live.ask("GET", path), wrong)
    same("the page", live.ask("GET", f"/{live.token}/"), (200, PAGE))
    same("no other path", live.ask("GET", f"/{live.token}/do")[0], 404)
    live.open()
    live.event()
    same("a second tab", live.ask("GET", f"/{live.token}/events"),
         (200, "event: refused\ndata: This run is shown in another tab: close that one, and load this page again.\n\n"))
    taken = subprocess.run([weir, "run", "done.yaml", f"--live={live.port}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    same("a port in use", (taken.returncode, taken.stderr.splitlines()[0]), (2, f"weir: --live: port {live.port} is in use"))
    live.leave()  # the browser is gone, and the run goes on
    live.do("pace 0")
    live.do("play")
    live.open()
    same("and a new one is greeted", live.event()[0], "about")
    to_the_end(live)
    same("the table is printed", "messages" in live.end(signal.SIGTERM)[1], True)
    live = Live(weir, "done.yaml", "--live", "--json")
    status, out, err = live.end()  # before a page is open
    same("a signal before the run", (status, json.loads(out)["interrupted"], "interrupted" in err), (130, True, True))


def refused(weir):
    for args, why in ((["--live=0"], "--live=0: a port is 1 to 65535"), (["--live=65536"], "--live=65536: a port is 1 to 65535"), (["--live=x"], "--live=x: a port is 1 to 65535"),
                      (["--live", "--timeline", "t"], "--live: is given with --timeline, and both change the run"),
                      (["--live", "--digest-until", "1 us"], "--live: is given with --digest-until, which has no results to show"),
                      (["--live", "--ranks", "2"], "--live: is given with --ranks, and shows one process"),
                      (["--live", "--find-length"], "--live: is given with --find-length, which shows no run"),
                      (["--live", "-o", "a.db", "--sweep", "a/b/c"], "--live: is given with --sweep, and a point of a sweep is not changed"),
                      (["--write-timeline", "t"], "--write-timeline: is for what was done in a page, and there is no --live"),
                      (["--live", "--write-timeline", "done.yaml"], "done.yaml: is the scenario itself")):
        done = subprocess.run([weir, "run", "done.yaml", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        same(f"{args}", (done.returncode, done.stderr.splitlines()[0]), (2, "weir: " + why))
    os.rename("web/weir-watch.html", "web/gone")
    done = subprocess.run([weir, "run", "done.yaml", "--live"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    same("without the page", (done.returncode, done.stderr.splitlines()[0]), (2, "weir: this build of weir has no page of a run that goes on"))


PAGE = '<!doctype html>\n<script type="application/json" id="weir-data">null</script>\n'


def main():
    folder = tempfile.mkdtemp(prefix="weir-watch-")
    spaces.clean_up_when_ended()
    try:
        weir = os.path.join(folder, "weir")
        shutil.copy(sys.argv[1], weir)
        os.chdir(folder)
        os.mkdir("web")
        for name, text in (("web/weir-watch.html", PAGE), ("net.yaml", LEAVES % "dctcp"), ("weights.yaml", LEAVES % "soze"), ("done.yaml", DONE), ("jobs.yaml", JOBS)):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        untouched(weir, "1")
        untouched(weir, "2")
        changed(weir)
        only_weighed(weir)
        recorded(weir)
        packets_until(weir)
        wrong_callers(weir)
        refused(weir)
    finally:
        for process in Live.started:  # which wait for a page, if a check has failed in between
            process.kill()
            process.wait()
        shutil.rmtree(folder)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
