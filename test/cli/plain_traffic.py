#!/usr/bin/env python3
"""test/cli/plain_traffic.py tcp|udp ADDRESS PORT [COUNT] - programs that know nothing of the network they are in.

Without COUNT a server: it says `ready`, serves one client, and prints what it got. With COUNT a client: over TCP it sends so many bytes,
over UDP it sends so many datagrams and awaits the echo of each. Both print `COUNT DIGEST`, which are equal if all arrived as it was sent.
"""
import hashlib
import socket
import sys

kind, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
count = int(sys.argv[4]) if len(sys.argv) > 4 else None
digest, total = hashlib.sha256(), 0
BYTES = 1000  # of a datagram; an empty one ends it

if kind == "tcp" and count is None:
    with socket.create_server((address, port)) as server:
        print("ready", flush=True)
        taken, _ = server.accept()
        while data := taken.recv(1 << 16):
            digest.update(data)
            total += len(data)
elif kind == "tcp":
    data = b"".join(hashlib.sha256(i.to_bytes(4, "big")).digest() for i in range(count // 32 + 1))[:count]
    with socket.create_connection((address, port)) as client:
        client.sendall(data)
    digest.update(data)
    total = count
else:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
        if count is None:
            own.bind((address, port))
            print("ready", flush=True)
            while (got := own.recvfrom(1 << 16))[0]:
                digest.update(got[0])
                total += 1
                own.sendto(*got)
        else:
            own.connect((address, port))
            for total in range(1, count + 1):
                data = total.to_bytes(4, "big") * (BYTES // 4)
                own.send(data)
                digest.update(data)
                if own.recv(1 << 16) != data:
                    sys.exit(f"datagram {total} came back as another one")
            own.send(b"")
print(total, digest.hexdigest())
