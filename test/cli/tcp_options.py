#!/usr/bin/env python3
"""test/cli/tcp_options.py WEIR A B - options that are not Weir's reach a socket of weir_soze in network namespace A, whose sockets alone have the law's
option; its peer is in B.

The peer's last acknowledgement is captured, gets other options, and is sent again: to TCP a duplicate. What the law's program counts is
compared: options of another length or identifier are foreign, and an echo of 65535 is the longest delay there is.
"""
import ctypes
import os
import re
import socket
import struct
import subprocess
import sys

weir, a, b = sys.argv[1:]
PORT = 7415
OURS = struct.pack("!BBH", 253, 8, 0x577A)
OPTIONS = {  # what is sent: (bytes, counter that grows by one)
    "7 bytes": (struct.pack("!BBH3x", 253, 7, 0x577A) + b"\1", "foreign"),
    "9 bytes": (struct.pack("!BBH5x", 253, 9, 0x577A) + b"\1\1\1", "foreign"),
    "another identifier": (struct.pack("!BBHHH", 253, 8, 0x1234, 1, 1), "foreign"),
    "ours": (OURS + struct.pack("!HH", 0, 40), "parsed"),
    "ours, an echo of 65535": (OURS + struct.pack("!HH", 0, 65535), "parsed"),
}


def enter(name):
    with open(f"/run/netns/{name}", "rb") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0x40000000) != 0:
            raise OSError(ctypes.get_errno(), "setns")


def count():
    """The counters of `weir tcp status soze`."""
    text = subprocess.run([weir, "tcp", "status", "soze"], capture_output=True, text=True, check=True).stdout
    grouped = {name: re.search(rf"^\S*\s+([\d,]+) {what}", text, re.M).group(1)
               for name, what in (("parsed", "received$"), ("foreign", "received that are not ours"), ("saturated", "with the longest"))}
    return {name: int(value.replace(",", "")) for name, value in grouped.items()}


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def with_options(frame, options, later):
    """The frame of a bare acknowledgement, with these options instead of its own; `later` bytes of its sender are behind it."""
    ethernet, ip = frame[:14], bytearray(frame[14:34])
    tcp = bytearray(frame[34:54]) + options
    tcp[4:8] = struct.pack("!I", (struct.unpack("!I", tcp[4:8])[0] + later) & 0xFFFFFFFF)
    tcp[12] = len(tcp) // 4 << 4
    tcp[16:18] = b"\0\0"
    tcp[16:18] = struct.pack("!H", checksum(ip[12:20] + struct.pack("!HH", 6, len(tcp)) + bytes(tcp)))
    ip[2:4], ip[10:12] = struct.pack("!H", 20 + len(tcp)), b"\0\0"
    ip[10:12] = struct.pack("!H", checksum(bytes(ip)))
    return ethernet + bytes(ip) + bytes(tcp)


def law(s):
    s.setsockopt(socket.IPPROTO_TCP, 13, b"weir_soze")  # TCP_CONGESTION
    return s


os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
enter(b)
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))  # of all protocols: else what leaves is not seen
wire.bind(("e0", 0))
listener = law(socket.socket())
listener.bind(("10.92.0.2", PORT))
listener.listen()
enter(a)
sender = law(socket.socket())
sender.connect(("10.92.0.2", PORT))
receiver, _ = listener.accept()
sender.sendall(bytes(1000))
receiver.recv(1000, socket.MSG_WAITALL)

wire.settimeout(10)
while True:  # the bare acknowledgement of these bytes: it leaves B
    frame, address = wire.recvfrom(2000)
    if address[2] == socket.PACKET_OUTGOING and frame[12:14] == b"\x08\0" and frame[23] == 6 and struct.unpack("!H", frame[34:36])[0] == PORT and frame[47] == 0x10:
        size = struct.unpack("!H", frame[16:18])[0]
        if size == 20 + (frame[46] >> 4) * 4 and frame[42:46] != b"\0\0\0\0":
            acked = frame
            break
failures = 0
for later, (what, (options, counter)) in enumerate(OPTIONS.items()):
    before = count()
    wire.send(with_options(acked, options, later))
    receiver.sendall(b"x")
    sender.recv(1)  # it was behind the frame: all of this runs on one processor
    now = count()
    grown = {name: now[name] - before[name] for name in now}
    if grown != {"parsed": 0, "foreign": 0, "saturated": 0, counter: 1}:
        failures += 1
        print(f"not ok: {what}: {grown}")
sender.sendall(bytes(1000))  # the law has a delay of 16.8 ms, and goes on
receiver.recv(1000, socket.MSG_WAITALL)
receiver.sendall(b"x")  # acknowledges them at once
sender.recv(1)
saturated = count()["saturated"]
if saturated == 0:
    failures += 1
    print("not ok: no delay was the longest")
sys.exit(1 if failures else 0)
