#!/usr/bin/env python3
"""test/cli/soft_switch.py WEIR - the switch in user space, between hosts that are network namespaces.

What hosts send arrives, by real sockets, and is counted; marks are the simulator's; a stop, a kill under traffic and a refusal leave nothing
behind. Traffic is a number of bytes and ends with them: nothing waits for a time. Skipped, with the reason, without root or where the
kernel has not what it takes.
"""
import fcntl
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import spaces
from spaces import Inside, call, connect, holds, send, skip

PREFIX = f"wu{os.getpid()}"
SWITCH = f"{PREFIX}-s"
SO_NETNS_COOKIE = 71
STAR = """topology: {kind: star, hosts: 2, host_link: 100 Mbps}
protocol: cubic
host: {ecn: rfc3168}
fabric: {port_buffer: 100 KB%s}
switch: %s
"""
PORTS = "{ports: {host 0: p0, host 1: p1}}"


def switch(*args, text=None):
    if text is not None:
        with open("net.yaml", "w", encoding="ascii") as file:
            file.write(text)
        args = ("start", "net.yaml", "--engine", "user", *args)
    with Inside(SWITCH):  # not by `ip netns exec`, where nobody else would see hosts that are made
        return call(weir, "switch", *args, check=False)


def status():
    return json.loads(switch("status", "--json").stdout)


def ping(source, address):
    """Sends an echo request of ICMP; returns whether the reply came."""
    def checksum(data):
        total = sum(struct.unpack(f"!{len(data) // 2}H", data))
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        return ~total & 0xffff
    body = struct.pack("!HH", os.getpid() & 0xffff, 1) + b"switch!!"
    with Inside(source):
        s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    s.settimeout(20)
    s.sendto(struct.pack("!BBH", 8, 0, checksum(b"\x08\0\0\0" + body)) + body, (address, 0))
    reply = s.recv(2000)
    s.close()
    return reply[20] == 0 and reply[24:] == body


def namespaces():
    return {line.split()[0] for line in call("ip", "netns", "list").stdout.splitlines() if line.strip()}


def has_note():
    """Whether there is a note of a switch of this namespace; other tests have switches of their own."""
    with Inside(SWITCH), socket.socket() as here:
        cookie, = struct.unpack("=Q", here.getsockopt(socket.SOL_SOCKET, SO_NETNS_COOKIE, 8))
    return os.path.exists(f"/run/weir/switch-{cookie}")


def state():
    """What would be seen of a switch in its namespace, and on the machine."""
    links = re.sub(r"NO-CARRIER,|,LOWER_UP|,M-DOWN| state \S+|qlen \d+", "", call("ip", "-n", SWITCH, "-o", "link").stdout)
    with Inside(SWITCH):
        offloads = [(d, name, spaces.offload(d, name)) for d in ("p0", "p1") for name in spaces.OFFLOADS]
    return links, offloads, has_note(), sorted(s for s in namespaces() if s.startswith(("weir-", PREFIX)))


def same(what, before):
    now = state()
    lines = [set(str(s).replace("\\n", "\n").splitlines()) for s in (now, before)]
    holds(f"{what}: {lines[0] ^ lines[1]}", now == before)


def make_hosts():
    call("ip", "netns", "add", SWITCH)
    for i in range(2):
        call("ip", "netns", "add", f"{PREFIX}-{i}")
        call("ip", "-n", f"{PREFIX}-{i}", "link", "add", "eth0", "type", "veth", "peer", "name", f"p{i}", "netns", SWITCH)
        call("ip", "-n", f"{PREFIX}-{i}", "addr", "add", f"10.54.0.{i + 1}/24", "dev", "eth0")
        call("ip", "-n", f"{PREFIX}-{i}", "link", "set", "eth0", "up")
        with Inside(f"{PREFIX}-{i}"):
            spaces.without_offloads("eth0")
    for change in ("p0 up", "p0 down", "p1 up"):  # both states are found again; a qdisc is there once it was up
        call("ip", "-n", SWITCH, "link", "set", *change.split())


def delete_all():
    if SWITCH in namespaces():
        switch("clean")
    for name in (SWITCH, f"{PREFIX}-0", f"{PREFIX}-1"):
        call("ip", "netns", "del", name, check=False)


def check_made(before):
    """Hosts that the switch makes: ping and TCP go through it, frames are counted and captured."""
    started = switch("--pcap", "all.pcapng", text=STAR % ("", "{}"))
    holds(f"it starts: {started.stderr}", started.returncode == 0 and "a switch of 2 hosts runs in user space" in started.stdout)
    holds("hosts are made", {"weir-h0", "weir-h1"} <= namespaces())
    refused = switch(text=STAR % ("", "{}"))
    holds(f"a second start is refused: {refused.stderr}", refused.returncode == 2 and "a switch is running here already" in refused.stderr)
    holds("the kernel's engine is refused beside it", "a switch is running here already" in switch("start", "net.yaml").stderr)
    holds("a ping is answered", ping("weir-h0", "10.87.0.2"))
    holds("all bytes arrive", send("weir-h0", "weir-h1", "10.87.0.2", 2_000_000)[0] == 2_000_000)
    found = status()
    port = found["ports"][1]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as printed:
        printed.write(json.dumps(found))
        printed.flush()
        schema = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.py")
        judge = subprocess.run([schema, weir, "switch", printed.name], capture_output=True, text=True, check=False)
    holds(f"it is valid: {judge.stdout}", judge.returncode in (0, 77))
    holds(f"frames are counted: {port}", port["out_bytes"] >= 2_000_000 and port["out_pkts"] > 1300 and port["device"] == "weir-p1")
    holds(f"what is for all is flooded: {found['floods_by_cause']}", found["floods_by_cause"]["switch.neighbor"] > 0)
    holds(f"no frame is lost in a ring: {found['drops_by_cause']}", found["drops_by_cause"]["switch.ring"] == 0)
    said = switch("stop")
    holds(f"a stop prints the counts: {said.stdout}", said.returncode == 0 and said.stdout.startswith("switch in user space, 2 hosts, 1 switches"))
    with open("all.pcapng", "rb") as file:
        data = file.read()
    at, frames = 0, [0, 0]
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("=II", data, at)
        if size < 12:
            break
        if kind == 6:
            frames[struct.unpack_from("=I", data, at + size - 12)[0] - 1] += 1
        at += size
    holds(f"the capture has what came and what left: {frames}", frames[0] >= 1300 and frames[1] >= 1300 and at == len(data))
    same("after a stop all is as before", before)


def load(protocol, *options, count):
    """Sends messages of 40 KB by `weir load` from host 0 to `weir serve` at host 1 of a switch that made them; returns what load says."""
    said = ("--rate", "100Mbps", "--rtt", "1ms", "--cc", protocol, *options)
    with Inside("weir-h1"):
        server = subprocess.Popen([weir, "serve", "--bind", "10.87.0.2:7413", *said], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
    try:
        holds(f"{protocol}: it serves", "serving on" in server.stderr.readline())
        with Inside("weir-h0"):
            sent = call(weir, "load", "10.87.0.2:7413", "--sizes", "fixed:40KB", "--count", str(count), "--outstanding", "4", "--duration", "20s",
                        "--json", *said, check=False)
        holds(f"{protocol}: it loads: {sent.stderr}", sent.returncode == 0)
        return json.loads(sent.stdout)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)
        server.stderr.close()


def link(found, name):
    return next(row for row in found["links"] if row["link"] == name)


def check_protocols(before):
    """What receiver-driven protocols need of switches: Homa's packets have classes, ExpressPass' credits are held back."""
    holds("it starts", switch(text=(STAR % (", priorities: 8", "{}")).replace("cubic\nhost: {ecn: rfc3168}", "homa")).returncode == 0)
    done = load("homa", count=40)
    holds(f"Homa's messages arrive: {done}", done["messages_completed"] == 40 and done["messages_failed"] == 0)
    classes = link(status(), "switch 0 > host 1")["classes"]
    holds(f"its packets have classes: {classes}", sum(row["frames"] > 0 for row in classes[:4]) > 1 and sum(row["frames"] > 0 for row in classes[4:]) > 0)
    switch("stop")
    started = switch(text="topology: {kind: star, hosts: 2, host_link: 100 Mbps}\nprotocol: {name: expresspass, preset: udp}\nswitch: {}\n")
    holds(f"it starts: {started.stderr}", started.returncode == 0 and "credit-gate" in started.stdout)
    done = load("expresspass", "--path", "gate", count=40)
    holds(f"ExpressPass' messages arrive: {done}", done["messages_completed"] == 40 and done["messages_failed"] == 0)
    found = status()
    credit, data = link(found, "host 1 > switch 0"), link(found, "host 0 > switch 0")
    full = 40 * 28  # of 1423 B, and a shorter one
    holds(f"each packet of data has had its credit: {credit} {data}", credit["classes"][0]["frames"] >= full and data["classes"][1]["frames"] >= full)
    holds(f"credit passes the gates of both ports: {found['features']}", found["features"]["credit-gate.passed"] >= 2 * full)
    holds(f"no data is dropped: {found['drops_by_cause']}", found["drops_by_cause"]["switch.memory"] == found["drops_by_cause"]["switch.nic"] == 0)
    holds("credit is in no class of data", data["classes"][0]["frames"] == 0)
    switch("stop")
    same("after a stop all is as before", before)


def check_table():
    """The table of a switch that runs has a line for each link, in the order of JSON."""
    table = switch("status").stdout.splitlines()
    first = 1 + next(i for i, line in enumerate(table) if line.startswith("link "))
    links = [row["link"] for row in status()["links"]]
    holds(f"each link has a line: {table}", [line[:24].rstrip() for line in table[first:first + len(links)]] == links)


def check_ports(before):
    """Ports that are named, a star whose feature marks, and addresses that are learned."""
    text = STAR % (", ecn: {threshold: 3 KB}", PORTS) + "hosts: [{at: host 1, link: 50 Mbps}]\n"
    started = switch(text=text)
    holds(f"it starts: {started.stderr}", started.returncode == 0)
    for i in range(2):
        with Inside(f"{PREFIX}-{i}"), open("/proc/sys/net/ipv4/tcp_ecn", "w", encoding="ascii") as file:
            file.write("1")
    holds("all bytes arrive", send(f"{PREFIX}-0", f"{PREFIX}-1", "10.54.0.2", 2_000_000)[0] == 2_000_000)
    found = status()
    port = found["ports"][1]
    holds(f"the queue marks: {port}", port["marks"] > 0 and port["marks"] == found["marks_by_cause"]["ecn.threshold"])
    holds(f"and the rate is that of the link: {port}", port["rate_bps"] == 50_000_000)
    check_table()
    switch("stop")
    same("after a stop all is as before", before)


def datagram(source, to, more=b"", fragment=0, payload=100):
    """A frame with a datagram of UDP over IPv4, to the port 9. more: in front of its type"""
    body = struct.pack("!HHHH", 9, 9, 8 + payload, 0) + bytes(payload)
    head = [0x45, 0, 20 + len(body), 7, fragment, 64, 17, 0, socket.inet_aton(source), socket.inet_aton(to)]
    total = sum(struct.unpack("!10H", struct.pack("!BBHHHBBH4s4s", *head)))
    head[7] = ~((total & 0xffff) + (total >> 16)) & 0xffff
    return bytes(12) + more + b"\x08\0" + struct.pack("!BBHHHBBH4s4s", *head) + body


def check_frames(before):
    """Frames that no switch takes are counted, and a sentence says why and whose they are. Fragments pass."""
    ours, theirs = "10.54.0.1", "10.54.0.2"
    call("ip", "-n", f"{PREFIX}-0", "link", "set", "eth0", "mtu", "1504")
    try:
        switch(text=STAR % ("", f"{PORTS[:-1]}, addresses: {{host 0: {ours}, host 1: {theirs}}}}}"))
        with Inside(f"{PREFIX}-1"):
            taker = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        taker.bind(("eth0", 0x800))
        taker.settimeout(20)
        with Inside(f"{PREFIX}-0"), socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as raw:
            raw.bind(("eth0", 0))
            for frame in (datagram(ours, theirs, more=b"\x81\0\0\5"), datagram(ours, theirs, payload=1504 - 28), datagram(theirs, theirs),
                          datagram(ours, theirs)[:-1], datagram(ours, theirs, fragment=0x2000), datagram(ours, theirs, fragment=16)):
                raw.send(frame)
        arrived = [taker.recv(2000)[20:22].hex() for _ in range(2)]
        taker.close()
        found, said = status()["drops_by_cause"], switch("stop").stdout
    finally:
        call("ip", "-n", f"{PREFIX}-0", "link", "set", "eth0", "mtu", "1500")
    holds(f"two fragments arrive: {arrived}", arrived == ["2000", "0010"])
    causes = {cause: count for cause, count in found.items() if count}
    holds(f"each is counted: {causes}", causes == {f"switch.{cause}": 1 for cause in ("offload", "tagged", "malformed", "moved")})
    for sentence in ("switch.offload: frames longer than the MTU: switch offloads of the sender off; the last one came from host 0",
                     "switch.tagged: frames with a VLAN tag; the last one came from host 0",
                     "switch.malformed: frames that are truncated, or in which a length is wrong; the last one came from host 0",
                     "switch.moved: host 0 sends from 10.54.0.2, which is the address of host 1; a host keeps its cable while the switch runs"):
        holds(f"'{sentence}' in {said}", sentence in said.splitlines())
    same("after that all is as before", before)


def check_kill(before):
    """Killed under traffic: programs, sockets and hosts go, and clean may be repeated. With both kinds of ports."""
    ours, made = (f"{PREFIX}-0", f"{PREFIX}-1", "10.54.0.2"), ("weir-h0", "weir-h1", "10.87.0.2")
    for section, ends, mtu, kind in ((PORTS, ours, 1500, "af_xdp"), ("{}", made, 1500, "af_xdp"), (PORTS, ours, 3600, "tpacket")):
        for i in range(2):
            call("ip", "-n", SWITCH, "link", "set", f"p{i}", "mtu", str(mtu))
        started = switch(text=STAR % ("", section))
        pid = int(re.search(r"process (\d+)", started.stdout).group(1))
        holds(f"its ports are {kind}", [port["by"] for port in status()["ports"]] in ([kind, kind], ["tpacket", "tpacket"]))
        client, taken = connect(*ends)
        client.setblocking(False)
        client.send(b"x" * 100_000)
        taken.recv(1)
        pidfd = os.pidfd_open(pid)
        os.kill(pid, signal.SIGKILL)
        # it is no child of ours: its descriptor is readable when it has ended
        select.select([pidfd], [], [], 20)
        os.close(pidfd)
        client.close()
        taken.close()
        links = call("ip", "-n", SWITCH, "link").stdout
        holds(f"no XDP program is left: {links}", "xdp" not in links and "PROMISC" not in links)
        holds("none runs", "no switch is running here" in switch("status").stderr)
        left = switch(text=STAR % ("", section))
        holds(f"what is left is said: {left.stderr}", left.returncode == 2 and "that did not end well" in left.stderr)
        cleaned = switch("clean")
        holds(f"clean: {cleaned.stderr}", cleaned.returncode == 0 and "what was left" in cleaned.stdout)
        for i in range(2):
            call("ip", "-n", SWITCH, "link", "set", f"p{i}", "mtu", "1500")
        same("after a kill and clean all is as before", before)
        holds("clean may be repeated", "nothing was left" in switch("clean").stdout)


def check_signal(before):
    """In the foreground SIGTERM is a stop."""
    with open("net.yaml", "w", encoding="ascii") as file:
        file.write(STAR % ("", PORTS))
    with Inside(SWITCH):
        doing = subprocess.Popen([weir, "switch", "start", "net.yaml", "--engine", "user", "--foreground"], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, text=True)
    first = doing.stdout.readline()
    doing.send_signal(signal.SIGTERM)
    rest, _ = doing.communicate(timeout=20)
    holds(f"SIGTERM ends it: {first} {rest}", doing.returncode == 0 and "runs in user space" in first and "switch in user space" in rest)
    same("after SIGTERM all is as before", before)


def check_refusals(before):
    def refused(said, text):
        got = switch(text=text)
        holds(f"refused with '{said}': {got.returncode} {got.stderr}", got.returncode == 2 and said in got.stderr)
        same(f"a refusal changes nothing: {said}", before)

    refused("no network device nodev0 here", STAR % ("", "{ports: {host 0: p0, host 1: nodev0}}"))
    refused("p0 is the port of two hosts, host 0 and host 1", STAR % ("", "{ports: {host 0: p0, host 1: p0}}"))
    refused("lo is the loopback device", STAR % ("", "{ports: {host 0: p0, host 1: lo}}"))
    refused("switch.ports: host 1 has no device", STAR % ("", "{ports: {host 0: p0}}"))
    refused("switch.addresses: host 0 and host 1 have the same",
            STAR % ("", "{ports: {host 0: p0, host 1: p1}, addresses: {host 0: 10.0.0.1, host 1: 10.0.0.1}}"))
    refused("switch.addresses: 'nowhere' is no address of IP", STAR % ("", "{ports: {host 0: p0, host 1: p1}, addresses: {host 0: nowhere}}"))
    refused("rcp", "topology: {kind: star, hosts: 2, host_link: 10 Gbps}\nprotocol: rcp\nswitch: {}\n")
    hidden = call("ip", "netns", "exec", SWITCH, weir, "switch", "start", "net.yaml", "--engine", "user", check=False)
    holds(f"hosts that nobody would see: {hidden.stderr}", hidden.returncode == 2)
    call("ip", "-n", SWITCH, "addr", "add", "10.99.0.1/24", "dev", "p1")
    got = switch(text=STAR % ("", PORTS))
    holds(f"an own login: {got.stderr}", got.returncode == 2 and "p1 has the address 10.99.0.1, of this machine" in got.stderr)
    call("ip", "-n", SWITCH, "addr", "flush", "dev", "p1")
    same("a refusal changes nothing", before)
    call("ip", "netns", "add", "weir-h1")
    try:
        got = switch(text=STAR % ("", "{}"))
        holds(f"a namespace of this name: {got.stderr}", got.returncode == 2 and "there is a network namespace weir-h1 already" in got.stderr)
        holds("it stays, and no other is made", "weir-h1" in namespaces() and "weir-h0" not in namespaces())
    finally:
        call("ip", "netns", "del", "weir-h1")
    holds("no switch is running here", "no switch is running here" in switch("stop").stderr)
    same("refusals change nothing", before)


weir = os.path.abspath(sys.argv[1])
spaces.clean_up_when_ended()
if os.geteuid() != 0:
    skip("network namespaces need root")
if shutil.which("ip") is None:
    skip("no ip")
with open("/run/lock/weir-soft-switch" if os.path.isdir("/run/lock") else "/tmp/weir-soft-switch", "w", encoding="ascii") as lock, \
        tempfile.TemporaryDirectory() as folder:
    fcntl.flock(lock, fcntl.LOCK_EX)  # the names of hosts are there once per machine
    if any(s.startswith("weir-h") for s in namespaces()):
        skip("somebody's switch is running on this machine")
    if call("ip", "netns", "add", f"{PREFIX}-try", check=False).returncode != 0:
        skip("no network namespaces here")
    call("ip", "netns", "del", f"{PREFIX}-try")
    os.chdir(folder)
    try:
        make_hosts()
        possible = switch("clean")
        if possible.returncode != 0:
            skip(possible.stderr.strip())
        first = state()
        check_made(first)
        check_protocols(first)
        check_ports(first)
        check_frames(first)
        check_kill(first)
        check_signal(first)
        check_refusals(first)
    finally:
        os.chdir("/")
        delete_all()
spaces.finish()
