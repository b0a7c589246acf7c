#!/usr/bin/env python3
"""test/twin/real_twin.py WEIR TOOL [NAME:FRAMES[:RATE]]... - hosts of golden scenarios send frames through a switch of real devices.

What they send is that of the simulation, at a thousandth of its rates and a thousand times its times. It goes into veth devices of a network
namespace of its own, through the switch, with a capture. Then the twin (the engine) computes from what came what must leave, and causes and counters
are those that the switch has counted. `law-LAW` has endpoints of libweir as hosts,
`hostile-NAME` sends broken frames, `burst` more than a ring has. Nothing depends on how exact the clock is: the capture says when a frame came.
Skipped, with the reason, without root or where the kernel has not what it takes.
"""
import ctypes
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import spaces  # noqa: E402
from spaces import CLONE_NEWNET, holds, skip  # noqa: E402

# what `weir switch` refuses, since the packets of these hosts have no field for a feature
REPLAYS = {"deflect", "rcp"}
# all that the mapping has frames for, but for fair rates: those are for links of 10 Gb/s and more, and test_wire_twin computes them
ALL = ["dart:5000", "dcqcn-pfc:5000", "deflect:5000", "fncc:5000", "lanes:5000", "rcp:3000", "rpm:5000", "weighted-queues:5000", "codel:5000",
       "law-dctcp:30", "law-fncc:30", "law-sird:30", "law-soze:30",
       "expresspass:5000", "hpcc:5000", "soze:5000", "burst:9000", "hostile-fncc:20000:20000", "hostile-soze:20000:20000", "hostile-rpm:20000:20000"]
# laws of endpoints, and what their switches do
LAWS = {"dctcp": ", ecn: {threshold: 30 KB}", "fncc": "", "sird": ", ecn: {threshold: 30 KB}", "soze": ", maxqd: {unit: 64 ns}"}


def call(*args, check=False):
    return spaces.call(*args, check=check)


def asked():
    return json.loads(call(weir, "switch", "status", "--json").stdout)


def make_devices(hosts):
    batch = "".join(f"link add p{i} mtu 3000 type veth peer name e{i} mtu 3000\n" for i in range(hosts) if i not in devices)
    devices.update(range(hosts))
    made = subprocess.run(["ip", "-batch", "-"], input=batch, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        skip(f"no veth devices: {made.stderr}")


def start_switch(name, replays):
    """Starts the switch of the command, or that of the tool; returns the number of its process."""
    if not replays:
        started = call(weir, "switch", "start", "net.yaml", "--engine", "user", "--pcap", "switch.pcapng")
        holds(f"{name}: the switch starts: {started.stderr}", started.returncode == 0)
        return int(re.search(r"process (\d+)", started.stdout).group(1))
    running.append(subprocess.Popen([tool, "switch", "net.yaml", "switch.pcapng"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True))
    holds(f"{name}: the switch starts", running[-1].stdout.readline() == "ready\n")
    return running[-1].pid


def wait_empty(sent):
    """Returns the counts once all frames that were sent are accounted for, and none is inside."""
    until, before = time.monotonic() + 120, None
    while True:
        found = asked()
        counts = [[p[key] for p in found["ports"]] for key in ("in_pkts", "out_pkts")] + [found["drops_by_cause"]["switch.ring"]]
        settled = counts == before and found["frames_inside"] == 0 and sum(counts[0]) + counts[2] >= sent
        if settled or time.monotonic() > until:
            return found
        before = counts
        time.sleep(0.05)


def by_cause(found):
    causes = {}
    for key in found:
        if key.endswith("_by_cause") and key != "floods_by_cause":
            causes.update(found[key])
    return causes


def account(name, sent, found, received, twin):
    """Every frame that was sent has left or counts by one cause, and so does every copy of a flooded one; the twin has the same counts."""
    came, left = (sum(p[key] for p in found["ports"]) for key in ("in_pkts", "out_pkts"))
    drops, floods = found["drops_by_cause"], found["floods_by_cause"]
    if sent is None:  # by hosts with a kernel, which tell nobody
        sent, received = came + drops["switch.ring"] - twin["ring"], {"received": left, "lost": 0}
    at_rx = sent - came  # found a ring full on its way in; the others did on their way out
    at_tx = drops["switch.ring"] - at_rx
    flooded = sum(floods.values())
    packets = left + at_tx - flooded * (len(found["ports"]) - 1)
    ended = sum(drops.values()) - drops["switch.ring"] + sum(found["losses_by_cause"].values())
    holds(f"{name}: {sent} sent, {came} came, rings lost {drops['switch.ring']}", at_rx >= 0 and at_tx >= 0)
    holds(f"{name}: {came} came; {packets} left, {flooded} flooded, {ended} by other causes", came == packets + flooded + ended)
    holds(f"{name}: hosts got {received}, and {left} left", received["received"] + received["lost"] == left)
    holds(f"{name}: the twin agrees: {twin['differences']} differ, first {twin['first']}", twin["differences"] == 0)
    mapped = sum(n for key, n in drops.items() if key.startswith("switch.") and key not in
                 ("switch.ring", "switch.nic", "switch.frames", "switch.notice", "switch.memory", "switch.no-route"))
    must = {"came": came, "left": packets - at_tx, "ring": at_tx, "flooded": flooded, "refused": mapped,
            "no_room": drops["switch.nic"] + drops["switch.frames"]}
    holds(f"{name}: its frames: {[(k, twin[k], n) for k, n in must.items()]}", all(twin[k] == n for k, n in must.items()))
    causes = by_cause(found)
    for key, count in twin["causes"].items():
        holds(f"{name}: {key}: {causes[key]}, must be {count}", causes[key] == count)
    for key, count in twin["features"].items():
        holds(f"{name}: {key}: {found['features'][key]}, must be {count}", found["features"][key] == count)
    counted = {key: n for key, n in {**causes, **floods}.items() if n > 0}
    print(f"{name}: {sent} frames; {left} left, {twin['marked']} marked; {counted}; "
          f"most behind the computed time {max(p['late_max_ns'] for p in found['ports']) / 1000:.1f} us")


def check_twin(name, sent, found, received):
    checked = call(tool, "check", "net.yaml", "switch.pcapng")
    holds(f"{name}: the twin runs: {checked.stderr}", checked.stdout != "")
    if checked.stdout:
        account(name, sent, found, received, json.loads(checked.stdout))


def through(name, hosts, replays, step, while_stopped=False):
    """Runs a step of the tool that sends, through a switch; returns what it sent and the counts. The switch may be stopped while it sends."""
    make_devices(hosts)
    pid = start_switch(name, replays)
    if while_stopped:
        os.kill(pid, signal.SIGSTOP)
    sender = subprocess.Popen([tool, *step, *(f"e{i}" for i in range(hosts))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        sent = json.loads(sender.stdout.readline())["sent"]
        if while_stopped:
            os.kill(pid, signal.SIGCONT)
        found = wait_empty(sent)
        rest, _ = sender.communicate(f"{sum(p['out_pkts'] for p in found['ports'])}\n", timeout=60)
        received = json.loads(rest)
    finally:
        sender.kill()
        if while_stopped:
            os.kill(pid, signal.SIGCONT)
        stopped = call(weir, "switch", "stop")
        for doing in running:
            doing.communicate(timeout=20)
        running.clear()
    holds(f"{name}: it stops: {stopped.stderr}", stopped.returncode == 0)
    check_twin(name, sent, found, received)
    return sent, found, received


def make(name, frames):
    said = call(tool, "make", name, frames, "net.yaml", "hosts.pcapng")
    holds(f"{name}: frames are made: {said.stderr}", said.returncode == 0)
    return json.loads(said.stdout)


def run(name, frames):
    """The hosts of a scenario send what they send in the simulation."""
    made = make(name, frames)
    sent, _, _ = through(name, made["hosts"], name in REPLAYS, ["send", "hosts.pcapng"])
    holds(f"{name}: all frames were sent: {sent} of {made}", sent == made["frames"])


def hostile(name, frames, rate):
    """Random bytes, and frames that are cut off or have wrong bits, from every host; then a good one of each, which arrives."""
    hosts = make(name.removeprefix("hostile-"), "2000")["hosts"]
    _, found, received = through(name, hosts, False, ["throw", "hosts.pcapng", "7", frames, rate])
    holds(f"{name}: the good frames arrive: {received}", received["marked"] == hosts)
    few = [key for key in ("switch.malformed", "switch.tagged", "switch.own", "switch.moved") if found["drops_by_cause"][key] == 0]
    holds(f"{name}: some of each kind: {few} {found['drops_by_cause']} {found['floods_by_cause']}",
          not few and found["floods_by_cause"]["switch.unknown"] > 0)


def burst(name, frames):
    """More frames than a ring has, while the process is stopped: those that found it full count as switch.ring."""
    hosts = make("fncc", "10")["hosts"]
    sent, found, _ = through(name, hosts, False, ["throw", "hosts.pcapng", "7", frames, "0"], while_stopped=True)
    lost = found["drops_by_cause"]["switch.ring"]
    holds(f"{name}: {lost} of {sent} found the ring full", lost > 0 and sent - lost >= 1024)


def without_ipv6():
    """In this thread's network namespace the kernel itself sends nothing."""
    if os.path.isdir("/proc/sys/net/ipv6"):
        for of in ("all", "default"):
            with open(f"/proc/sys/net/ipv6/conf/{of}/disable_ipv6", "w", encoding="ascii") as setting:
                setting.write("1")


class Host:
    """A network namespace without a name: it ends with this process, and its device with it."""

    def __init__(self, number):
        ready, told = os.pipe()
        self.number, self.pid = number, os.fork()
        if self.pid == 0:
            libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            libc.unshare(CLONE_NEWNET)
            os.write(told, b"x")
            while True:
                signal.pause()
        os.close(told)
        os.read(ready, 1)
        os.close(ready)
        call("ip", "link", "set", f"e{number}", "netns", str(self.pid), check=True)
        with spaces.Inside(f"/proc/{self.pid}/ns/net"):
            without_ipv6()
            spaces.without_offloads(f"e{number}")
        call(*self.inside("sh", "-c", f"ip addr add {self.address}/24 dev e{number}; ip link set lo up; ip link set e{number} up"))

    @property
    def address(self):
        return f"10.0.0.{self.number + 1}"

    def inside(self, *args):
        return ["nsenter", "-t", str(self.pid), "-n", *args]

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        call("ip", "link", "delete", f"p{self.number}")  # with its peer: the kernel removes a namespace's devices some time after its last process
        devices.discard(self.number)


def law(name, messages):
    """Endpoints of libweir with a law: two hosts send so many messages to a third."""
    runs = name.removeprefix("law-")
    hosts, options = 3, ("--cc", runs, "--rate", "100Mbps", "--rtt", "1ms", "--timeout", "60s", "--json")
    ports = ", ".join(f"host {i}: p{i}" for i in range(hosts))
    addresses = ", ".join(f"host {i}: 10.0.0.{i + 1}" for i in range(hosts))
    with open("net.yaml", "w", encoding="ascii") as file:
        file.write(f"topology: {{kind: star, hosts: {hosts}, host_link: 100 Mbps, host_delay: 20 us}}\nprotocol: {runs}\n"
                   f"fabric: {{port_buffer: 250 KB{LAWS[runs]}}}\nswitch: {{ports: {{{ports}}}, addresses: {{{addresses}}}}}\n")
    make_devices(hosts)
    start_switch(name, False)
    at = [Host(i) for i in range(hosts)]
    server = subprocess.Popen(at[0].inside(weir, "serve", "--bind", f"{at[0].address}:7413", *options), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    loads = []
    try:
        server.stderr.readline()  # it serves
        loads = [subprocess.Popen(h.inside(weir, "load", f"{at[0].address}:7413", "--bind", f"{h.address}:7413", "--sizes", "fixed:100KB", "--count",
                                           messages, "--outstanding", "4", "--duration", "1000s", *options),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for h in at[1:]]
        said = [load.communicate(timeout=100) for load in loads]
        server.terminate()
        server.communicate(timeout=60)
        found = wait_empty(0)
    finally:
        for process in (server, *loads):
            process.kill()
        stopped = call(weir, "switch", "stop")
        for host in at:
            host.end()
    holds(f"{name}: it stops: {stopped.stderr}", stopped.returncode == 0)
    for out, err in said:
        holds(f"{name}: {messages} messages arrive: {out} {err}", out != "" and json.loads(out)["messages_completed"] == int(messages))
    check_twin(name, None, found, None)


weir, tool = (os.path.abspath(a) for a in sys.argv[1:3])
devices, running, libc = set(), [], ctypes.CDLL(None, use_errno=True)
if os.geteuid() != 0:
    skip("network devices need root")
if shutil.which("ip") is None or shutil.which("nsenter") is None:
    skip("no ip, or no nsenter")
if libc.unshare(CLONE_NEWNET) != 0:
    skip("no network namespaces here")  # the namespace, its devices and sockets end with this process and its children
without_ipv6()
spaces.clean_up_when_ended()  # `finally` ends the switch, whose namespace has no name
source = os.getcwd()
with open("/run/lock/weir-soft-switch" if os.path.isdir("/run/lock") else "/tmp/weir-soft-switch", "w", encoding="ascii") as lock, \
        tempfile.TemporaryDirectory() as folder:
    fcntl.flock(lock, fcntl.LOCK_EX)  # one such test at a time: it keeps both processors busy
    os.symlink(os.path.join(source, "test"), os.path.join(folder, "test"))
    os.chdir(folder)
    possible = call(weir, "switch", "clean")
    if possible.returncode != 0:
        skip(possible.stderr.strip())
    try:
        for test in sys.argv[3:] or ALL:
            what, *numbers = test.split(":")
            {"hostile": hostile, "law": law, "burst": burst}.get(what.split("-")[0], run)(what, *numbers)
    finally:
        call(weir, "switch", "stop")  # it runs only if something has failed
        call(weir, "switch", "clean")
        os.chdir("/")
spaces.finish()
