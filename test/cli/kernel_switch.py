#!/usr/bin/env python3
"""test/cli/kernel_switch.py WEIR - the switch in the kernel, between hosts that are network namespaces.

What hosts send arrives; a queue fills; what RPM counts adds up; the option of TCP is raised, and no other; what was there before is there
again after the end, also after one by SIGKILL at any moment. Traffic is a number of bytes and ends with them: nothing waits for a time.
Skipped, with the reason, without root or where the kernel has not what it takes.
"""
import errno
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
import spaces
from spaces import Inside, call, holds, skip

PREFIX = f"ws{os.getpid()}"
SWITCH = f"{PREFIX}-s"
HOSTS = 3
SCENARIO = """topology: {kind: star, hosts: 3, host_link: 50 Mbps}
protocol: %s
fabric: {port_buffer: 100 KB%s}
switch:
  ports: {host 0: p0, host 1: p1, host 2: p2}
%s"""
ADDRESSES = "  addresses: {host 0: 10.53.0.1, host 1: 10.53.0.2, host 2: 10.53.0.3}\n"


def host(i):
    return f"{PREFIX}-h{i}"


def make_hosts():
    call("ip", "netns", "add", SWITCH)
    for i in range(HOSTS):
        call("ip", "netns", "add", host(i))
        call("ip", "-n", host(i), "link", "add", "eth0", "type", "veth", "peer", "name", f"p{i}", "netns", SWITCH)
        call("ip", "-n", host(i), "addr", "add", f"10.53.0.{i + 1}/24", "dev", "eth0")
        call("ip", "-n", host(i), "link", "set", "eth0", "up")
        with Inside(host(i)), open("/proc/sys/net/ipv4/tcp_ecn", "w", encoding="ascii") as file:
            file.write("1")
    for change in ("p0 up", "p1 up", "p1 down", "p2 up promisc on"): # several states in which devices may be found
        call("ip", "-n", SWITCH, "link", "set", *change.split())


def delete_hosts():
    for name in (SWITCH, *(host(i) for i in range(HOSTS))):
        call("ip", "netns", "del", name, check=False)


CUBIC = "cubic\nhost: {ecn: rfc3168}"  # what hosts run: rpm wants ECN, and maxqd a law that reads delays


def switch(*args, features="", addresses=ADDRESSES, protocol=CUBIC):
    if args[0] == "start":
        with open("net.yaml", "w", encoding="ascii") as file:
            file.write(SCENARIO % (protocol, features, addresses))
        args = ("start", "net.yaml", *args[1:])
    return call("ip", "netns", "exec", SWITCH, weir, "switch", *args, check=False)


def state():
    """What of a switch would be seen in its namespace: devices with their flags, qdiscs, filters."""
    seen = []
    with Inside(SWITCH):
        links = re.sub(r"qlen \d+", "", call("ip", "-o", "link").stdout)
        seen += [re.sub(r"NO-CARRIER,|,LOWER_UP|,M-DOWN| state \S+", "", links), call("tc", "qdisc", "show").stdout]
        for i in range(HOSTS):
            seen += [call("tc", "filter", "show", "dev", f"p{i}", side).stdout for side in ("ingress", "egress")]
    return seen


def same(what, before):
    now = state()
    holds(f"{what}: {[(a, b) for a, b in zip(now, before) if a != b]}", now == before)


def programs():
    with Inside(SWITCH):
        shown = call("tc", "filter", "show", "dev", "p0", "ingress").stdout
    return re.findall(r" id (\d+) name weir_sw_enter", shown)


def numbers(port):
    """The line of a port in `weir switch status`, by the names above it."""
    lines = switch("status").stdout.splitlines()
    line = next(x for x in lines if x.startswith(f"host {port} "))
    return dict(zip(lines[1].split()[1:], line.split()[2:]))


def longest_wait(port):
    """How long a frame waited at most in the queue of a port, by the switch's own count, in ms."""
    return json.loads(switch("status", "--json").stdout)["ports"][port]["sojourn_max_ns"] / 1e6


def send(source, to, size, control="cubic"):
    """Sends bytes by TCP from one host to another; returns how many arrived."""
    with Inside(host(to)):
        server = socket.create_server((f"10.53.0.{to + 1}", 0))
    with Inside(host(source)):
        client = socket.socket()
    for s in (server, client):
        s.settimeout(20)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    client.connect(server.getsockname())
    taken, _ = server.accept()
    taken.settimeout(20)

    def work():
        client.sendall(b"x" * size)
        client.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=work)
    sender.start()
    arrived = 0
    while chunk := taken.recv(1 << 16):
        arrived += len(chunk)
    sender.join()
    for s in (server, client, taken):
        s.close()
    return arrived


def check_traffic():
    """Without features and addresses: the switch learns where hosts are, TCP fills the buffer, and datagrams pass."""
    started = switch("start", addresses="")
    if started.stderr.startswith(("weir: tc: ", "weir: ip: ")):
        skip("the kernel lacks a device or a queue: " + started.stderr.strip())
    holds(f"it starts: {started.stderr}", started.returncode == 0)
    steered = call("ip", "netns", "exec", SWITCH, "cat", "/sys/class/net/weirq1-0/queues/rx-0/rps_cpus").stdout
    holds(f"one processor takes the frames of a port, in order: {steered}", bin(int(steered.replace(",", ""), 16)).count("1") == 1)
    holds("a second start is refused", "a switch is running here already" in switch("start").stderr)
    # reno doubles its window until a packet is lost; cubic ends that early where round trips grow
    holds("all bytes arrive", send(0, 1, 3_000_000, "reno") == 3_000_000)
    port = numbers(1)
    # A frame that comes by bpf_redirect() would still belong to its socket, which then holds TCP back at a millisecond of its
    # rate. The full buffer shows in the drop: one that takes several packets at once may find it three quarters full.
    holds(f"TCP fills the buffer: {port}", int(port["q_max_B"]) > 75_000 and int(port["dropped"]) > 0)
    holds(f"the wait is that of a full buffer at 50 Mb/s, 16 ms: {port}", 12 < float(port["max_ms"]))
    holds(f"nothing is marked: {port}", port["marks"] == "0")
    whole = switch("status", "--json").stdout
    with tempfile.NamedTemporaryFile("w", suffix=".json") as printed:
        printed.write(whole)
        printed.flush()
        schema = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.py")
        judge = subprocess.run([schema, weir, "switch", printed.name], capture_output=True, text=True, check=False)
    holds(f"it is valid: {judge.stdout}", judge.returncode in (0, 77))
    exact = json.loads(whole)["ports"][1]
    holds(f"as JSON: {exact}", exact["host"] == "host 1" and exact["dropped"] == int(port["dropped"]) and exact["out_pkts"] >= int(port["out"]) > 2000 and
          exact["out_bytes"] >= 3_000_000 and exact["skipped"] == 0)
    with Inside(host(2)):
        server = socket.socket(type=socket.SOCK_DGRAM)
        server.bind(("10.53.0.3", 0))
        server.settimeout(20)
    with Inside(host(0)):
        client = socket.socket(type=socket.SOCK_DGRAM)
    for i in range(20):
        client.sendto(bytes([i]) * 1000, server.getsockname())
    # not their order: a veth device hands over what two processors sent as these come to it
    holds("datagrams pass", {server.recv(2000)[0] for _ in range(20)} == set(range(20)))
    client.sendto(bytes(4000), server.getsockname())
    holds("fragments pass", len(server.recv(5000)) == 4000)
    said = switch("status").stdout
    holds(f"what is for all is counted: {said}", re.search(r"^frames for all hosts, or of unknown destination: \d+$", said, re.M))
    switch("stop")


def check_counts():
    """What the switch does not forward is counted, and goes nowhere."""
    def give(space, device, frame):
        with Inside(space):
            giver = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
            giver.bind((device, 0))
        giver.send(frame)

    def counted():
        return json.loads(switch("status", "--json").stdout)["ports"]

    started = switch("start", addresses=ADDRESSES + "hosts: [{at: host 2, link: 20 Mbps}]\n")
    holds(f"it starts with addresses: {started.stderr}", started.returncode == 0)
    said = [(p["host"], p["device"], p["rate_bps"], p["limit_bytes"]) for p in counted()]
    holds(f"ports are as the scenario says: {said}", said == [("host 0", "p0", 50_000_000, 100_000), ("host 1", "p1", 50_000_000, 100_000),
                                                              ("host 2", "p2", 20_000_000, 100_000)])
    before = counted()[0]
    head = b"\2\0\0\0\0\2\2\0\0\0\0\1"
    for frame in (head + b"\x88\xb5" + bytes(50), head + b"\x81\0\0\5\x08\0" + bytes(50), head + b"\x08\0\x45" + bytes(5), head + b"\x86\xdd" + bytes(50),
                  ipv4(17, bytes(8), to="10.53.0.1"), ipv4(17, bytes(8), to="10.53.0.9")):
        give(host(0), "eth0", frame)
    try:
        give(SWITCH, "weirq0-0", ipv4(17, bytes(8)))
    except OSError as error: # dropped before the queue
        holds(f"no stamp: {error}", error.errno == errno.ENOBUFS)
    after = counted()[0]
    for key, wanted in (("foreign", 3), ("stray", 1), ("flooded", 1), ("unstamped", 1)):
        holds(f"{wanted} {key}: {before} {after}", after[key] - before[key] == wanted)
    holds(f"IPv6 is counted: {after}", after["ipv6"] > before["ipv6"])
    switch("stop")


def check_rpm(cells):
    """Every event of RPM is an ACK that was marked, waits, or is accounted for otherwise."""
    started = switch("start", features=f", codel: {{target: 2 ms, interval: 20 ms}}, rpm: {{cells: {cells}}}")
    holds(f"rpm per {cells} starts: {started.stderr}", f"codel, rpm per {cells}" in started.stdout)
    send(0, 1, 4_000_000)
    said = switch("status").stdout
    counts = re.search(r"^rpm: (\d+) events; ACKs marked (\d+), waiting (\d+), packets marked forward (\d+), lost in full cells (\d+), expired (\d+)$",
                       said, re.M)
    holds(f"rpm's line: {said}", counts is not None)
    events, marked, *rest = map(int, counts.groups())
    holds(f"rpm per {cells}: events are accounted for: {said}", events == marked + sum(rest))
    holds(f"rpm per {cells}: ACKs are marked: {said}", marked > 0)
    port = numbers(1)
    holds(f"rpm per {cells}: and no packets but those marked forward: {port}", int(port["marks"]) == rest[1])
    switch("stop")


def check_marks():
    """ECN marks by the queue that a frame finds; CoDel marks frames with ECT and drops others."""
    switch("start", features=", ecn: {threshold: 30 KB}")
    send(0, 1, 3_000_000)
    port = numbers(1)
    holds(f"ecn marks, and the buffer is never full: {port}", int(port["marks"]) > 0 and port["dropped"] == "0")
    switch("stop")
    for variant in ("p4", "rfc8289"):
        switch("start", features=f", codel: {{variant: {variant}, target: 2 ms, interval: 5 ms}}")
        holds(f"with {variant} all bytes arrive", send(0, 1, 2_000_000) == 2_000_000)
        port = numbers(1)
        holds(f"{variant} marks: {port}", int(port["marks"]) > 0 and port["dropped"] == "0")
        with Inside(host(0)):
            client = socket.socket(type=socket.SOCK_DGRAM)
        for _ in range(80):  # 13 ms of the port's rate, which the buffer holds
            client.sendto(bytes(1000), ("10.53.0.2", 9))
        send(0, 1, 1)  # comes behind them
        said = switch("status").stdout
        holds(f"{variant} drops what has no ECN: {said}", re.search(r"^dropped by codel, without ECN: [1-9]", said, re.M))
        switch("stop")


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ipv4(proto, payload, source="10.53.0.1", to="10.53.0.2"):
    addresses = socket.inet_aton(source) + socket.inet_aton(to)
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(payload), 1, 0, 64, proto, 0) + addresses
    return b"\2\0\0\0\0\2\2\0\0\0\0\1\x08\0" + head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload


def segment(number, options):
    """A TCP segment of data whose source port is its number."""
    def build(check):
        return struct.pack("!HHIIBBHHH", number, 9, 1, 1, (20 + len(options)) // 4 << 4, 0x10, 1000, check, 0) + options + b"data"
    addresses = socket.inet_aton("10.53.0.1") + socket.inet_aton("10.53.0.2")
    return ipv4(6, build(checksum(addresses + struct.pack("!HH", 6, len(build(0))) + build(0))))


def option(kind=253, length=8, magic=0x577a, delay=0, echo=7):
    return struct.pack("!BBHHH", kind, length, magic, delay, echo)


def fill_queue(giver):
    """Makes what comes next wait for 11 ms, less what this process is held up while it sends: 1514 bytes at 50 Mb/s are 242 us each, and five
    of the 50 leave at once."""
    for _ in range(50):
        giver.send(ipv4(17, struct.pack("!HHHH", 9, 9, 1480, 0) + bytes(1472)))


def raw_sockets():
    """A socket that takes IPv4 frames at host 1, and one that sends frames at host 0."""
    with Inside(host(1)):
        taker = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        taker.bind(("eth0", 0x0800))
        taker.settimeout(20)
    with Inside(host(0)):
        giver = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        giver.bind(("eth0", 0))
    return taker, giver


def check_option():
    """Delays in the option are raised to the port's, and checksums stay right; what only looks like the option stays."""
    started = switch("start", protocol="soze")
    holds(f"maxqd starts with soze: {started.stderr}", "maxqd" in started.stdout)
    sent = {1: option(), 2: option(delay=65535), 3: option(length=7), 4: option(length=9), 5: option(magic=0x1234), 6: option(kind=254), 7: b""}
    taker, giver = raw_sockets()
    fill_queue(giver)
    for number, options in sent.items():
        giver.send(segment(number, options))
    got = {}
    while len(got) < len(sent):
        frame = taker.recv(2000)
        if frame[23] == 6:
            got[struct.unpack("!H", frame[34:36])[0]] = frame
    for number, frame in got.items():
        tcp = frame[34:]
        holds(f"the checksum of segment {number}", checksum(frame[26:34] + struct.pack("!HH", 6, len(tcp)) + tcp) == 0)
        if number > 1:
            holds(f"segment {number} is as it was", tcp[20:-4] == sent[number])
    delay = struct.unpack("!H", got[1][58:60])[0] * 256 / 1e6
    longest = longest_wait(1)
    holds(f"the delay is that of the queue, at most {longest} ms: {delay}", 3 < delay <= longest)
    holds("the echo stays", got[1][60:62] == b"\0\7")
    said = switch("status").stdout
    holds(f"counted: {said}", "TCP options raised: 1\n" in said and "segments of data without the option: 5\n" in said)
    switch("stop")


def datagram(number, payload, port=7413, check=True):
    """A UDP datagram whose source port is its number, with a checksum or without one."""
    def build(value):
        return struct.pack("!HHHH", number, port, 8 + len(payload), value) + payload
    addresses = socket.inet_aton("10.53.0.1") + socket.inet_aton("10.53.0.2")
    padded = build(0) + bytes(len(payload) % 2)
    return ipv4(17, build(checksum(addresses + struct.pack("!HH", 17, 8 + len(payload)) + padded) if check else 0))


def area(kind=1, first=0x40, kind_of_packet=16, delay=0, length=60):
    """The payload of data of an endpoint, with a switch area (doc/wire.md)."""
    return struct.pack("!BBBBHH", first, kind_of_packet, kind << 5, 0, delay, 0x1234) + bytes(i % 251 for i in range(length - 8))


def check_area():
    """Delays in datagrams of Weir's endpoints are raised to the port's, in the unit of each, and checksums stay right. What is shorter, of
    another format, for another port or a fragment stays as it was."""
    started = switch("start", protocol="soze")
    holds(f"maxqd starts: {started.stderr}", started.returncode == 0)
    cut = bytearray(datagram(20, area()))
    cut[20] = 0x20  # more fragments follow
    cut[24:26] = b"\0\0"
    cut[24:26] = struct.pack("!H", checksum(bytes(cut[14:34])))
    short = bytearray(datagram(21, area(length=66)))
    short[38:40] = struct.pack("!H", 67)  # UDP's length is not that of IP
    sent = {1: datagram(1, area()), 2: datagram(2, area(kind=2)), 3: datagram(3, area(first=0x4a, length=1201)), 4: datagram(4, area(), check=False),
            7413: datagram(7413, area(), port=5000),  # to here all are raised
            10: datagram(10, area(kind=0)), 11: datagram(11, area(kind=3)), 12: datagram(12, area(first=0x50)), 13: datagram(13, area(first=0x41)),
            14: datagram(14, area(kind_of_packet=0)), 15: datagram(15, area(length=59)), 16: datagram(16, area()[:8]), 17: datagram(17, area()[:5]),
            18: datagram(18, area(), port=7414), 19: datagram(19, area(delay=65535)), 20: bytes(cut), 21: bytes(short), 22: datagram(22, b"")}
    raised = (1, 2, 3, 4, 7413)
    taker, giver = raw_sockets()
    fill_queue(giver)
    for frame in sent.values():
        giver.send(frame)
    got = {}
    while len(got) < len(sent):
        frame = taker.recv(2000)
        number = struct.unpack("!H", frame[34:36])[0]
        if frame[23] == 17 and number in sent:
            got[number] = frame[:14 + struct.unpack("!H", frame[16:18])[0]]
    for number, frame in got.items():
        if number not in raised:
            holds(f"datagram {number} is as it was", frame == sent[number])
            continue
        udp = frame[34:] + bytes(len(frame) % 2)
        check = checksum(frame[26:34] + struct.pack("!HH", 17, len(frame) - 34) + udp)
        holds(f"the checksum of datagram {number}", frame[40:42] == b"\0\0" if number == 4 else check == 0)
        holds(f"all else of datagram {number} stays", frame[:40] + frame[42:46] + frame[48:] == sent[number][:40] + sent[number][42:46] +
              sent[number][48:])
    delay = {n: struct.unpack("!H", got[n][46:48])[0] * (1000 if n == 2 else 64) / 1e6 for n in raised}
    # in a wrong unit 11 ms would be 0.7 ms (number 1), or all that 16 bits hold, 65 ms (number 2); in 64 ns they hold 4.2 ms
    longest = longest_wait(1)
    holds(f"delays are that of the queue, at most {longest} ms, each in its unit: {delay}", all(3 < d <= longest for d in delay.values()))
    said = switch("status").stdout
    holds(f"counted: {said}", f"maxqd: datagrams of Weir's endpoints raised: {len(raised)}\n" in said and "TCP options" not in said)
    switch("stop")


def check_udp_port():
    """The port of endpoints is a key. Through the switch two endpoints exchange messages, and the sender is told delays of the switch."""
    def exchange(udp_port):
        started = switch("start", protocol="soze", addresses=ADDRESSES + f"  udp_port: {udp_port}\n")
        holds(f"it starts: {started.stderr}", started.returncode == 0)
        server = subprocess.Popen(["ip", "netns", "exec", host(1), weir, "serve", "--bind", "10.53.0.2:6000", "--cc", "soze", "--rate", "50Mbps"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        server.stderr.readline()
        loaded = call("ip", "netns", "exec", host(0), weir, "load", "10.53.0.2:6000", "--cc", "soze", "--rate", "50Mbps", "--sizes", "fixed:400KB",
                      "--count", "5", "--json", check=False)
        server.terminate()
        server.communicate()
        holds(f"the server ends well: {server.returncode}", server.returncode == 0)
        holds(f"all messages arrive: {loaded.stdout} {loaded.stderr}", json.loads(loaded.stdout)["messages_completed"] == 5)
        raised = sum(p["raised_datagrams"] for p in json.loads(switch("status", "--json").stdout)["ports"])
        switch("stop")
        return json.loads(loaded.stdout)["raised_delays"], raised

    heard, raised = exchange(6000)
    holds(f"the sender hears of delays that the switch raised: {heard}, {raised}", 0 < heard and 0 < raised)
    heard, raised = exchange(7413)
    holds(f"of another port none is raised: {heard}, {raised}", heard == 0 and raised == 0)


def check_ends(before):
    """Nothing is left after an end, after kills at any moment of a start and of an end, and of starts that are refused."""
    switch("start")
    ids = programs()
    holds("our program is at a port", len(ids) == 1)
    switch("stop")
    same("after a stop all is as before", before)
    if shutil.which("bpftool"):
        holds("after a stop the kernel has no program of ours", call("bpftool", "prog", "show", "id", ids[0], check=False).returncode != 0)
    for verb in ("start", "stop"):
        for share in range(6):
            if verb == "stop":
                switch("start")
            doing = subprocess.Popen(["ip", "netns", "exec", SWITCH, weir, "switch", verb, *(["net.yaml"] if verb == "start" else [])],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                doing.wait(0.03 * share + 0.01)
            except subprocess.TimeoutExpired:
                doing.send_signal(signal.SIGKILL)
                doing.wait()
            cleaned = switch("clean")
            holds(f"clean after a killed {verb}: {cleaned.stderr}", cleaned.returncode == 0)
            same(f"after a killed {verb} and clean all is as before", before)
    holds("clean may be repeated", "nothing was left" in switch("clean").stdout)


def check_unprivileged():
    """Without privilege the kernel refuses, and so do we."""
    try:
        got = subprocess.run([weir, "switch", "status"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd="/", user=65534)
    except PermissionError:
        return # the program is in somebody's own folder
    holds(f"root is asked for: {got.stderr}", got.returncode == 3 and "root" in got.stderr)


def check_refusals(before):
    def refused(said, **how):
        got = switch("start", **how)
        holds(f"refused with '{said}': {got.returncode} {got.stderr}", got.returncode == 2 and said in got.stderr)

    with Inside(SWITCH):
        call("ip", "addr", "add", "10.99.0.1/24", "dev", "p1")
        refused("p1 has the address 10.99.0.1, of this machine")
        call("ip", "link", "set", "p1", "up")
        call("ip", "route", "add", "default", "via", "10.99.0.2")
        refused("p1 carries this machine's default route")
        call("ip", "addr", "del", "10.99.0.1/24", "dev", "p1")
        call("ip", "link", "set", "p1", "down")
        call("ip", "link", "set", "p2", "mtu", "576")
        refused("the MTU of p0 is 1500, and that of p2 576")
        call("ip", "link", "set", "p2", "mtu", "1500")
        call("tc", "qdisc", "add", "dev", "p1", "clsact")
        call("tc", "filter", "add", "dev", "p1", "ingress", "pref", "1", "handle", "1", "bpf", "da", "bytecode", "1,6 0 0 0")
        kept = state()
        refused("p1 has a filter of somebody else in the first place")
        same("a filter of somebody else stays", kept)
        call("tc", "qdisc", "del", "dev", "p1", "clsact")
    holds("no switch is running here" , "no switch is running here" in switch("stop").stderr)
    same("refusals change nothing", before)


weir = os.path.abspath(sys.argv[1])
spaces.clean_up_when_ended()
if os.geteuid() != 0:
    skip("network namespaces need root")
for tool in ("ip", "tc"):
    if shutil.which(tool) is None:
        skip(f"no {tool}")
if call("ip", "netns", "add", f"{PREFIX}-try", check=False).returncode != 0:
    skip("no network namespaces here")
call("ip", "netns", "del", f"{PREFIX}-try")
if tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) < (6, 2):
    skip(f"Linux {os.uname().release} is older than 6.2")
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    try:
        make_hosts()
        possible = switch("clean")
        if possible.returncode != 0:
            skip(possible.stderr.strip())
        first = state()
        check_traffic()
        check_counts()
        check_rpm("flow")
        check_rpm("port")
        check_marks()
        check_option()
        check_area()
        check_udp_port()
        check_ends(first)
        check_refusals(first)
        check_unprivileged()
    finally:
        delete_hosts()
spaces.finish()
