#!/usr/bin/env python3
"""test/cli/trace_files.py - traces for tests, written and counted without Weir: GOAL schedules and Chakra traces of usual patterns.

usage: trace_files.py ring|all-to-all|tree RANKS BYTES >FILE    writes a GOAL schedule
       trace_files.py count FILE                              prints its messages and bytes
"""
import collections
import re
import sys

# --- GOAL ---


def goal_ring(ranks, size):
    """All-reduce round a ring: 2 (ranks - 1) steps, in each of which a rank sends what it received in the step before."""
    yield f"num_ranks {ranks}\n"
    for rank in range(ranks):
        yield f"rank {rank} {{\n"
        for step in range(2 * (ranks - 1)):
            yield f"s{step}: send {max(1, size // ranks)}b to {(rank + 1) % ranks} tag {step}\n"
            if step > 0:
                yield f"s{step} requires r{step - 1}\n"
            yield f"r{step}: recv {max(1, size // ranks)}b from {(rank - 1) % ranks} tag {step}\n"
        yield "}\n"


def goal_all_to_all(ranks, size):
    """Each rank sends to each other at once, beginning with its neighbour."""
    yield f"num_ranks {ranks}\n"
    for rank in range(ranks):
        yield f"rank {rank} {{\n"
        for k in range(1, ranks):
            yield f"send {max(1, size // ranks)}b to {(rank + k) % ranks}\nrecv {max(1, size // ranks)}b from {(rank - k) % ranks}\n"
        yield "}\n"


def goal_tree(ranks, size):
    """Broadcast down a binary tree: rank r receives from (r - 1) / 2, computes for 100 ns, and sends to 2 r + 1 and 2 r + 2."""
    yield f"num_ranks {ranks}\n"
    for rank in range(ranks):
        yield f"rank {rank} {{\nc: calc 100\n"
        if rank > 0:
            yield f"r: recv {size}b from {(rank - 1) // 2} tag 1\nc requires r\n"
        for k in (1, 2):
            if 2 * rank + k < ranks:
                yield f"s{k}: send {size}b to {2 * rank + k} tag 1\ns{k} requires c\n"
        yield "}\n"


def goal_messages(lines):
    """(source, destination, bytes) -> how often a schedule sends that."""
    found, rank = collections.Counter(), None
    for line in lines:
        block = re.match(r"\s*rank\s+(\d+)", line)
        rank = int(block[1]) if block else rank
        send = re.search(r"\bsend\s+(\d+)\s*b\s+to\s+(\d+)", line)
        if send:
            found[rank, int(send[2]), int(send[1])] += 1
    return found


# --- Chakra: protobuf messages, each behind its length ---


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def message(body):
    return varint(len(body)) + body


def attribute(name, field, value):
    return text(10, text(1, name) + (text(field, value) if isinstance(value, str) else number(field, value)))


def chakra_metadata(version):
    """As the versions have it: 0.0.4 in a field, later ones as an attribute called schema."""
    if version == "":
        return message(b"")
    return message(text(1, version) if version == "0.0.4" else text(2, text(1, "schema") + text(29, version)))


def chakra_ring(rank, ranks, size, version):
    """All-reduce round a ring as sends and receives, as ASTRA-sim's custom collectives have it; ids count from 0, which is left out."""
    out = chakra_metadata(version)
    for step in range(2 * (ranks - 1)):
        for k, kind, peer in ((0, 5, (rank + 1) % ranks), (1, 6, (rank - 1) % ranks)):
            node = 2 * step + k
            body = (number(1, node) if node else b"") + text(2, f"step {step}") + number(3, kind)
            if k == 0 and step > 0:
                body += text(5, varint(node - 1))
            body += attribute("comm_dst" if k == 0 else "comm_src", 7, peer) + attribute("comm_tag", 7, step)
            out += message(body + attribute("comm_size", 9 if version == "0.0.4" else 13, max(1, size // ranks)))
    return out


def chakra_collective(op, size, version):
    """One collective of all ranks, as ASTRA-sim's microbenchmarks have it."""
    body = number(1, 1) + number(3, 7) + attribute("is_cpu_op", 27, 0) + attribute("comm_type", 9, op)
    return chakra_metadata(version) + message(body + attribute("comm_size", 9, size))


PATTERNS = {"ring": goal_ring, "all-to-all": goal_all_to_all, "tree": goal_tree}


def main():
    if len(sys.argv) == 4 and sys.argv[1] in PATTERNS:
        sys.stdout.writelines(PATTERNS[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3])))
    elif len(sys.argv) == 3 and sys.argv[1] == "count":
        with open(sys.argv[2], encoding="utf-8") as lines:
            found = goal_messages(lines)
        print(sum(found.values()), "messages", sum(size * count for (_, _, size), count in found.items()), "bytes")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
