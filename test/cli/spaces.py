"""test/cli/spaces.py - for tests in Python: checks and commands, and sockets of hosts that are network namespaces."""
import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import threading

CLONE_NEWNET = 0x40000000
SIOCETHTOOL = 0x8946
# calls of ethtool that read and set an offload, linux/ethtool.h; flags are LRO and VLAN tags, among others
OFFLOADS = {"tso": (0x1e, 0x1f), "gso": (0x23, 0x24), "gro": (0x2b, 0x2c), "tx": (0x16, 0x17), "flags": (0x25, 0x26)}
PATIENCE_S = 20  # for a socket
failures, checks = [], 0


def holds(what, condition):
    global checks
    checks += 1
    if not condition:
        failures.append(what)
        print("not ok:", what)


def clean_up_when_ended():
    """Lets `finally` delete what the test has made when a signal ends it: a time limit, or Ctrl-C."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda which, _: sys.exit(128 + which))


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def finish():
    """Ends the test."""
    print(f"{checks} checks, {len(failures)} failures")
    sys.exit(1 if failures else 0)


def call(*args, check=True):
    return subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=check)


class Inside:
    """Within it this thread is in a network namespace; sockets that it makes stay there."""

    def __init__(self, name):
        self.path = os.path.join("/run/netns", name)  # a path stays as it is

    def __enter__(self):
        self.before = os.open("/proc/self/ns/net", os.O_RDONLY)
        self.enter(os.open(self.path, os.O_RDONLY))

    @staticmethod
    def enter(fd):
        if ctypes.CDLL(None, use_errno=True).setns(fd, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        os.close(fd)

    def __exit__(self, *_):
        self.enter(self.before)


def offload(device, name, value=None):
    """Sets an offload of a device in this thread's namespace, or reads it. By ioctl, since ethtool may not be installed. A device that lacks
    the call has it off."""
    read, write = OFFLOADS[name]
    call_of = ctypes.create_string_buffer(struct.pack("=II", read if value is None else write, value or 0))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        try:
            fcntl.ioctl(here, SIOCETHTOOL, struct.pack("16sP16x", device.encode(), ctypes.addressof(call_of)))
        except OSError as error:
            if error.errno != errno.EOPNOTSUPP:
                raise
            return 0
    return struct.unpack_from("=II", call_of)[1]


def without_offloads(device):
    """What a host leaves to hardware is done by its kernel: a packet socket is given frames as the host left them."""
    for name in ("tso", "gso", "tx"):
        offload(device, name, 0)


def connect(source, to, address, control=None):
    """A connection of TCP between two hosts: both ends. control: the sender's congestion control; None = the system's"""
    with Inside(to):
        server = socket.create_server((address, 0))
    with Inside(source):
        client = socket.socket()
    if control is not None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode())
    client.settimeout(PATIENCE_S)
    server.settimeout(PATIENCE_S)
    client.connect(server.getsockname())
    taken, _ = server.accept()
    taken.settimeout(PATIENCE_S)
    server.close()
    return client, taken


def delivered_ce(client):
    """Packets of a connection whose ACKs had ECE, as the sender's kernel counts them (tcpi_delivered_ce of struct tcp_info)."""
    return struct.unpack_from("=I", client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256), 196)[0]


def send(source, to, address, size, control=None):
    """Sends bytes by TCP from one host to another. Returns how many arrived, and delivered_ce()."""
    client, taken = connect(source, to, address, control)

    def work():
        client.sendall(b"x" * size)
        client.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=work)
    sender.start()
    arrived = 0
    while chunk := taken.recv(1 << 16):
        arrived += len(chunk)
    sender.join()
    taken.close()
    client.recv(1)  # the other end is closed: all ACKs are there
    marked = delivered_ce(client)
    client.close()
    return arrived, marked
