#!/usr/bin/env python3
"""test/cli/soft_tcp.py WEIR - the kernel's TCP through the switch in user space: cubic fills the buffer, CoDel marks, each event of RPM is
accounted for, and Soze's senders read the delays that maxQD has raised.

The port to the receiver has a fifth of the senders' rate. Traffic is a number of bytes and ends with them. No figure is looked at, only
counts and what arrives. Skipped, with the reason, without root or where the kernel has not what it takes.
"""
import fcntl
import json
import os
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import spaces
from spaces import Inside, call, holds, send, skip

PREFIX = f"wt{os.getpid()}"
SWITCH, RECEIVER, SENDER = f"{PREFIX}-s", f"{PREFIX}-0", f"{PREFIX}-1"
HOSTS = [RECEIVER, SENDER]
TO = "10.55.0.1"
FRAME_BYTES = 1538  # on the wire
SCENARIO = """topology: {kind: star, hosts: 2, host_link: %s Mbps}
hosts: [{at: host 0, link: %s Mbps}]
protocol: %s
fabric: {%s}
switch: {ports: {host 0: p0, host 1: p1}, addresses: {host 0: 10.55.0.1, host 1: 10.55.0.2}}
"""
CUBIC = "cubic\nhost: {ecn: rfc3168}"


def switch(*args):
    with Inside(SWITCH):
        return call(weir, "switch", *args, check=False)


def through(features, size, control="cubic", protocol=CUBIC, mbps=20):
    """Sends bytes through a switch. Returns its state after that, and packets whose ACKs had ECE."""
    with open("net.yaml", "w", encoding="ascii") as file:
        file.write(SCENARIO % (5 * mbps, mbps, protocol, features))
    started = switch("start", "net.yaml", "--engine", "user")
    holds(f"it starts: {started.stderr}", started.returncode == 0)
    arrived, marked = send(SENDER, RECEIVER, TO, size, control)
    state = json.loads(switch("status", "--json").stdout)
    holds(f"all bytes arrive with {features}: {arrived}", arrived == size)
    holds(f"no ring is full: {state['drops_by_cause']}", state["drops_by_cause"]["switch.ring"] == 0)
    switch("stop")
    return state, marked


def check_buffer():
    """The first window and what slow start adds are more than 20 KB."""
    state, _ = through("port_buffer: 20 KB", 400_000)
    port = state["ports"][0]
    holds(f"cubic fills the buffer, but for less than a frame: {port}", 20_000 - FRAME_BYTES < port["queue_max_bytes"] <= 20_000)
    holds(f"what does not fit is dropped: {port}", 0 < port["dropped"] == sum(state["drops_by_cause"].values()))


def check_codel():
    state, marked = through("port_buffer: 1 MB, codel: {target: 1 ms, interval: 5 ms}", 1_000_000)
    marks = state["marks_by_cause"]["codel.sojourn"]
    holds(f"CoDel marks, and drops nothing: {state['ports'][0]}", 0 < marks == state["ports"][0]["marks"] and state["ports"][0]["dropped"] == 0)
    holds(f"the sender hears of it: {marked}", marked > 0)


def check_rpm(cells):
    """Each event is an ACK that was marked, waits, or is counted for what else became of it."""
    state, marked = through(f"port_buffer: 1 MB, codel: {{target: 1 ms, interval: 5 ms}}, rpm: {{cells: {cells}}}", 1_000_000)
    count = {key.split(".")[1]: value for key, value in state["features"].items() if key.startswith("rpm.")}
    holds(f"rpm per {cells}: ACKs are marked: {count}", count["marked"] > 0)
    holds(f"rpm per {cells}: events are accounted for: {count}", count["events"] == sum(count.values()) - count["events"])
    holds(f"rpm per {cells}: and no packets but those marked forward: {count}", state["ports"][0]["marks"] == count["forward"])
    holds(f"rpm per {cells}: the sender hears of it: {marked}", marked > 0)


def check_option():
    """Soze of the kernel's TCP. Its law is loaded for the whole machine, so other tests of laws wait."""
    with open("/run/weir-test-kernel.lock", "a", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = call(weir, "tcp", "status", "--json", check=False)
        if known.returncode != 0 or json.loads(known.stdout)["laws"]:
            return f"no law: {known.stderr.strip() or 'one is loaded'}"
        loaded = call(weir, "tcp", "load", "soze", "--port", "200Mbps", "--netns", "all", check=False)
        if loaded.returncode != 0:
            return f"no law: {loaded.stderr.strip()}"
        try:
            through("port_buffer: 1 MB, maxqd: {unit: 256 ns, filter: 200 us}", 2_000_000, "weir_soze", "soze", 200)
            law = json.loads(call(weir, "tcp", "status", "--json").stdout)["laws"][0]
        finally:
            call(weir, "tcp", "unload", "soze", check=False)
        holds(f"the sender reads delays that were raised, none too long: {law}", law["raised"] > 0 and law["saturated"] == 0)
    return None


def make_hosts():
    call("ip", "netns", "add", SWITCH)
    for i, host in enumerate(HOSTS):
        call("ip", "netns", "add", host)
        call("ip", "-n", host, "link", "add", "eth0", "type", "veth", "peer", "name", f"p{i}", "netns", SWITCH)
        call("ip", "-n", host, "addr", "add", f"10.55.0.{i + 1}/24", "dev", "eth0")
        call("ip", "-n", host, "link", "set", "eth0", "up")
        with Inside(host):
            spaces.without_offloads("eth0")
            with open("/proc/sys/net/ipv4/tcp_ecn", "w", encoding="ascii") as file:
                file.write("1")


def delete_all():
    if os.path.exists(f"/run/netns/{SWITCH}"):
        switch("stop")
        switch("clean")
    for name in (SWITCH, *HOSTS):
        call("ip", "netns", "del", name, check=False)


weir, without = os.path.abspath(sys.argv[1]), None
spaces.clean_up_when_ended()
if os.geteuid() != 0:
    skip("network namespaces need root")
if shutil.which("ip") is None:
    skip("no ip")
if call("ip", "netns", "add", f"{PREFIX}-try", check=False).returncode != 0:
    skip("no network namespaces here")
call("ip", "netns", "del", f"{PREFIX}-try")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    try:
        make_hosts()
        possible = switch("clean")
        if possible.returncode != 0:
            skip(possible.stderr.strip())
        check_buffer()
        check_codel()
        check_rpm("flow")
        check_rpm("port")
        without = check_option()
    finally:
        os.chdir("/")
        delete_all()
if without and not spaces.failures:
    skip(f"{without}; all else passed")
spaces.finish()
