"""bench/soft_switch/bed.py - the namespaces of a measurement, the switch between them, and the process that is all hosts."""
import json
import os
import re
import select
import signal
import subprocess

PATIENCE_S = 60  # for a process to begin, or to answer
NAME = f"sb{os.getpid()}"
SWITCH, HOSTS = NAME + "-s", NAME + "-h"  # namespaces: devices of the switch, and the hosts' ends of their cables
TCP_HOSTS = 3  # each a namespace, for the kernel's TCP
PORTS = {"af_xdp": ("x", 5, 1500), "tpacket": ("t", 5, 3600), "bridge": ("b", 2, 1500)}  # device, how many, MTU: above 3500 a port is AF_PACKET


class Failed(Exception):
    """Something could not be measured: why."""


def last_line(text):
    return (text.strip().splitlines() or ["failed"])[-1]


def run(*command, keep=(), text=""):
    """Runs a command to its end, and returns what it prints. keep: descriptors that it has, too; text: its standard input"""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, pass_fds=keep)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: {last_line(done.stderr or done.stdout)}")
    return done.stdout


def on(space, *command):
    """A command in a namespace."""
    return ["nsenter", f"--net=/run/netns/{space}", *command]


def tcp_host(number):
    return f"{NAME}-{number}"


def tcp_address(number):
    return f"10.54.1.{number + 1}"


class Bed:
    """Namespaces with pairs of devices. They go away by a shell that outlives this program, however that ends."""

    def __init__(self, weir):
        self.weir, self.keeper, self.write_end = weir, None, None

    def make(self, *command, text=""):
        """Runs a command that makes something. What takes it away waits for the end of it, should this program be killed."""
        run(*command, keep=(self.write_end,), text=text)

    def ip(self, space, lines):
        """Runs lines of `ip` in a namespace."""
        self.make("ip", "-n", space, "-batch", "-", text="\n".join(lines) + "\n")

    def build(self, cases):
        spaces = [SWITCH, HOSTS, *(tcp_host(i) for i in range(TCP_HOSTS))]
        here = " ".join(spaces)
        down = (f"for s in {here}; do ip netns pids $s | xargs -r kill -KILL; until [ -z \"$(ip netns pids $s)\" ]; do sleep 0.01; done; done; "
                f"[ -z \"$law\" ] || {self.weir} tcp unload $law; {' '.join(on(SWITCH, self.weir, 'switch', 'clean'))}; "
                f"for s in {here}; do ip netns del $s; done")
        read_end, self.write_end = os.pipe()
        # Its stderr stays open, so that who reads that sees when all is gone.
        self.keeper = subprocess.Popen(["sh", "-c", f"trap '' INT TERM HUP; law=; while read -r line; do law=$line; done; {{ {down}; }} 2>/dev/null"],
                                       stdin=read_end, stdout=subprocess.DEVNULL, start_new_session=True)
        os.close(read_end)
        for space in spaces:
            self.make("ip", "netns", "add", space)
            self.make(*on(space, "sysctl", "-q", "-w", "net.ipv6.conf.default.disable_ipv6=1"))
        self.build_frames()
        if "tcp" in cases:
            self.build_tcp()

    def cables(self, space, cables):
        """Makes cables of (device in the namespace, port of the switch, MTU of the port). Both ends are up."""
        self.ip(SWITCH, [line for device, port, mtu in cables for line in (
            f"link add {port} mtu {mtu} type veth peer name {device} mtu 1500 netns {space}", f"link set {port} up")])
        self.ip(space, [f"link set {device} up" for device, _, _ in cables])

    def build_frames(self):
        self.cables(HOSTS, [(f"{letter}{i}", f"{letter}{i}", mtu) for letter, count, mtu in PORTS.values() for i in range(count)])
        self.ip(HOSTS, ["link add d0 type veth peer name d1", "link set d0 up", "link set d1 up"])
        self.ip(SWITCH, ["link add br0 type bridge", "link set b0 master br0", "link set b1 master br0", "link set br0 up"])

    def build_tcp(self):
        """Hosts with the kernel's TCP. They hand over frames, not segments for hardware to cut."""
        for i in range(TCP_HOSTS):
            space = tcp_host(i)
            self.cables(space, [("eth0", f"k{i}", 1500)])
            self.ip(space, [f"address add {tcp_address(i)}/24 dev eth0"])
            self.make(*on(space, "ethtool", "-K", "eth0", "tso", "off", "gso", "off", "tx", "off"))
            self.make(*on(space, "sysctl", "-q", "-w", "net.ipv4.tcp_rmem=4096 131072 16777216", "net.ipv4.tcp_wmem=4096 131072 16777216",
                          "net.ipv4.tcp_ecn=1"))

    def load(self, law, *options):
        """Loads a law into the kernel's TCP. It is for the whole machine."""
        os.write(self.write_end, law.split()[0].encode() + b"\n")
        try:
            self.make(self.weir, "tcp", "load", law, *options)
        except Failed:
            os.write(self.write_end, b"\n")
            raise

    def unload(self, law):
        run(self.weir, "tcp", "unload", law.split()[0])
        os.write(self.write_end, b"\n")

    def close(self):
        if self.keeper is not None:
            os.close(self.write_end)
            self.keeper.wait()


def devices(kind, count=2):
    return [f"{'d' if kind == 'direct' else PORTS[kind][0]}{i}" for i in range(count)]


def refused_by_devices(names):
    """Frames that hosts' ends of cables did not pass on: the pair's own queue was full."""
    lines = dict(line.split(":", 1) for line in run(*on(HOSTS, "cat", "/proc/net/dev")).splitlines() if ":" in line)
    found = {name.strip(): fields.split() for name, fields in lines.items()}
    return sum(int(found[name][11]) for name in names)


def star(hosts, rate, fabric, ports, addresses, protocol="cubic\nhost: {ecn: rfc3168}", more=""):
    """A scenario for the switch."""
    where = ", ".join(f"host {i}: {port}" for i, port in enumerate(ports))
    given = ", ".join(f"host {i}: {address}" for i, address in enumerate(addresses))
    return (f"topology: {{kind: star, hosts: {hosts}, host_link: {rate}, host_delay: 1 ns}}\nprotocol: {protocol}\n"
            f"fabric: {{{fabric}}}\nswitch: {{ports: {{{where}}}, addresses: {{{given}}}}}\n{more}")


class Switch:
    """`weir switch` while it runs. Its process is a child of this one, but for that of the kernel's engine, which has none."""

    def __init__(self, bed, text, engine="user"):
        self.weir, self.engine, self.child = bed.weir, engine, None
        self.file = os.memfd_create("switch.yaml")  # a file would stay if this program is killed
        os.write(self.file, text.encode())
        start = on(SWITCH, self.weir, "switch", "start", f"/proc/{os.getpid()}/fd/{self.file}")
        if engine == "kernel":
            run(*start)
            return
        self.child = subprocess.Popen([*start, "--engine", "user", "--foreground"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
        if not re.search(r"runs in user space", self.child.stdout.readline()):
            raise Failed(f"weir switch start: {last_line(self.child.communicate()[1])}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child is None:
            run(*on(SWITCH, self.weir, "switch", "stop"))
        else:
            self.child.send_signal(signal.SIGCONT)
            self.child.send_signal(signal.SIGTERM)
            self.child.communicate()
        os.close(self.file)

    def status(self):
        return json.loads(run(*on(SWITCH, self.weir, "switch", "status", "--json")))

    def cpu_ns(self):
        with open(f"/proc/{self.child.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])


class Hosts:
    """soft_switch_frames, which is all hosts, up to the moment when it may begin."""

    def __init__(self, program, mode, amount, size, names, *more):
        self.child = subprocess.Popen(on(HOSTS, program, mode, str(amount), str(size), *map(str, more), *names), stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.text = b""
        self.line()

    def line(self):
        while b"\n" not in self.text:
            if not select.select([self.child.stdout], [], [], PATIENCE_S)[0]:
                raise Failed(f"soft_switch_frames: no answer within {PATIENCE_S} s")
            more = os.read(self.child.stdout.fileno(), 1 << 16)
            if not more:
                raise Failed(last_line(self.child.communicate()[1].decode(errors="replace")))
            self.text += more
        line, self.text = self.text.split(b"\n", 1)
        return line.decode()

    def go(self):
        os.write(self.child.stdin.fileno(), b"\n")

    def result(self):
        return json.loads(self.line())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.communicate()
