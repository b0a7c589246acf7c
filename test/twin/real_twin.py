#!/usr/bin/env python3
"""test/twin/real_twin.py WEIR TOOL [NAME:FRAMES]... - hosts of golden scenarios send frames through a switch of real devices.

What they send is that of the simulation, at a thousandth of its rates and a thousand times its times. It goes into veth devices of a network
namespace of its own, through the switch, with a capture. Then the twin (the engine) computes from what came what must leave, and causes and counters
are those that the switch has counted. Nothing depends on how exact the clock is: the capture says when a frame came.
Skipped, with the reason, without root or where the kernel has not what it takes.
"""
import ctypes
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import time

CLONE_NEWNET = 0x40000000
# features for which no endpoint sends packets: `weir switch` refuses them
REPLAYS = {"dart", "deflect", "lanes", "rcp"}
# all that the mapping has frames for, but for fair rates: those are for links of 10 Gb/s and more, and test_wire_twin computes them
ALL = ["dart:5000", "dcqcn-pfc:5000", "deflect:5000", "fncc:5000", "lanes:5000", "rcp:3000", "rpm:5000", "weighted-queues:5000", "codel:5000",
       "expresspass:5000", "hpcc:5000", "soze:5000"]
failures, checks = [], 0


def holds(what, condition):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print("not ok:", what)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def call(*args, **more):
    return subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **more)


def asked():
    return json.loads(call(weir, "switch", "status", "--json").stdout)


def make_devices(hosts):
    batch = "".join(f"link add p{i} mtu 3000 type veth peer name e{i} mtu 3000\n" for i in range(hosts) if i not in devices)
    devices.update(range(hosts))
    made = subprocess.run(["ip", "-batch", "-"], input=batch, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        skip(f"no veth devices: {made.stderr}")


def start_switch(name):
    """Returns the process if it is the tool's; else the switch runs by itself."""
    if name not in REPLAYS:
        started = call(weir, "switch", "start", "net.yaml", "--engine", "user", "--pcap", "switch.pcapng")
        holds(f"{name}: the switch starts: {started.stderr}", started.returncode == 0)
        return None
    doing = subprocess.Popen([tool, "switch", "net.yaml", "switch.pcapng"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    holds(f"{name}: the switch starts", doing.stdout.readline() == "ready\n")
    return doing


def wait_empty(sent):
    """Returns the counts once all frames that were sent are accounted for, and none is inside."""
    until = time.monotonic() + 60
    while True:
        found = asked()
        came = sum(p["in_pkts"] for p in found["ports"])
        if (came + found["drops_by_cause"]["switch.ring"] >= sent and found["frames_inside"] == 0) or time.monotonic() > until:
            return found
        time.sleep(0.05)


def by_cause(found):
    causes = {}
    for key in found:
        if key.endswith("_by_cause") and key != "floods_by_cause":
            causes.update(found[key])
    return causes


def compare(name, made, sent, found, received, twin):
    came, left = (sum(p[key] for p in found["ports"]) for key in ("in_pkts", "out_pkts"))
    causes = by_cause(found)
    ended = {key: n for fate in ("drops", "losses") for key, n in found[f"{fate}_by_cause"].items() if n > 0}
    holds(f"{name}: all frames were sent: {sent} of {made}", sent["sent"] == made["frames"])
    holds(f"{name}: sent {sent['sent']}, left {left}, and by causes {ended}", sent["sent"] == left + sum(ended.values()))
    holds(f"{name}: hosts got {received}, and {left} left", received["received"] + received["lost"] == left)
    holds(f"{name}: the twin agrees: {twin['differences']} differ, first {twin['first']}", twin["differences"] == 0)
    holds(f"{name}: its frames: {twin['came']} came of {came}, {twin['left']} left of {left}", (twin["came"], twin["left"]) == (came, left))
    for key, count in twin["causes"].items():
        holds(f"{name}: {key}: {causes[key]}, must be {count}", causes[key] == count)
    for key, count in twin["features"].items():
        holds(f"{name}: {key}: {found['features'][key]}, must be {count}", found["features"][key] == count)
    decided = {key: n for key, n in causes.items() if n > 0}
    print(f"{name}: {sent['sent']} frames in {made['seconds']} s, at most {sent['late_max_us']} us late; {left} left, {twin['marked']} marked; "
          f"{decided}; most behind the computed time {max(p['late_max_ns'] for p in found['ports']) / 1000:.1f} us")


def run(name, frames):
    said = call(tool, "make", name, frames, "net.yaml", "hosts.pcapng")
    if said.returncode != 0:
        holds(f"{name}: {said.stderr}", False)
        return
    made = json.loads(said.stdout)
    make_devices(made["hosts"])
    doing = start_switch(name)
    sender = subprocess.Popen([tool, "send", "hosts.pcapng", *(f"e{i}" for i in range(made["hosts"]))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        sent = json.loads(sender.stdout.readline())
        found = wait_empty(sent["sent"])
        rest, _ = sender.communicate(f"{sum(p['out_pkts'] for p in found['ports'])}\n", timeout=60)
        received = json.loads(rest)
    finally:
        sender.kill()
        stopped = call(weir, "switch", "stop")
        if doing is not None:
            doing.communicate(timeout=20)
    holds(f"{name}: it stops: {stopped.stderr}", stopped.returncode == 0)
    checked = call(tool, "check", "net.yaml", "switch.pcapng")
    holds(f"{name}: the twin runs: {checked.stderr}", checked.stdout != "")
    if checked.stdout:
        compare(name, made, sent, found, received, json.loads(checked.stdout))


weir, tool = (os.path.abspath(a) for a in sys.argv[1:3])
devices = set()
if os.geteuid() != 0:
    skip("network devices need root")
if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNET) != 0:
    skip("no network namespaces here")  # the namespace, its devices and sockets end with this process and its children
if os.path.isdir("/proc/sys/net/ipv6"):
    for of in ("all", "default"):  # the kernel itself sends nothing
        with open(f"/proc/sys/net/ipv6/conf/{of}/disable_ipv6", "w", encoding="ascii") as setting:
            setting.write("1")
source = os.getcwd()
with open("/run/lock/weir-soft-switch" if os.path.isdir("/run/lock") else "/tmp/weir-soft-switch", "w", encoding="ascii") as lock, \
        tempfile.TemporaryDirectory() as folder:
    fcntl.flock(lock, fcntl.LOCK_EX)  # as test/cli/soft_switch.py, which looks at all notes of the machine
    os.symlink(os.path.join(source, "test"), os.path.join(folder, "test"))
    os.chdir(folder)
    for test in sys.argv[3:] or ALL:
        run(*test.split(":"))
    os.chdir("/")
print(f"{checks} checks, {len(failures)} failures")
sys.exit(bool(failures))
