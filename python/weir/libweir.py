"""The interface of libweir as ctypes has it: what of include/weir/weir.h weir.net uses. Constants and structs have its names."""
import ctypes
import functools
import struct
from typing import NamedTuple

from . import libraries

ABI = 1  # WEIR_ABI_VERSION, also in the library's soname
EV_MESSAGE, EV_CALL, EV_SENT, EV_REPLY, EV_REPLIED, EV_RECEIVED, EV_WRITABLE, EV_PEER_UP, EV_PEER_DOWN, EV_POSTED = range(1, 11)
OPEN_SHARED, OPEN_CHECKED, OPEN_LEND_PEERS, OPEN_PEER_EVENTS = 1, 2, 4, 8
COPY, LOCAL, RELEASED = 1, 2, 4
WEIGHT_MILLI_MAX = 1000000
APP_ERROR, APP_ERROR_MAX = 1024, 3071
NEVER = (1 << 64) - 1


class Limits(NamedTuple):
    """Sizes in bytes: the largest IP packet, the most payload of one packet, the largest message; the link's rate, and rate times round trip."""

    mtu: int
    payload_bytes: int
    message_bytes_max: int
    rate_bps: int
    bdp_bytes: int


class Stats(NamedTuple):
    """Counters since the endpoint was opened, as struct weir_stats describes them."""

    peers: int
    ops_pending: int
    events_pending: int
    rx_bytes_held: int
    tx_bytes_held: int
    messages_sent: int
    messages_received: int
    bytes_sent: int
    bytes_received: int
    packets_sent: int
    packets_received: int
    retransmissions: int
    duplicates: int
    marked: int
    refused_packets: int
    checksum_errors: int
    no_memory: int
    send_blocked: int
    handshakes: int
    resets: int
    timeouts: int
    credit_held_bytes: int
    credit_outstanding_bytes: int
    allocations: int
    syscalls: int
    messages_arriving: int
    unchecked_packets: int
    stranger_packets: int
    unanswered_packets: int
    send_syscalls: int
    peers_refused: int
    other_version_packets: int
    spurious_retransmissions: int
    raised_delays: int
    forged_packets: int
    repeated_packets: int
    late_packets: int


class PeerStats(NamedTuple):
    """Counters of a peer, as struct weir_peer_stats describes them. silent_ns is NEVER if it sent no packet."""

    connected: int
    handshakes: int
    resets: int
    ops_pending: int
    messages_arriving: int
    rx_bytes_held: int
    messages_sent: int
    messages_received: int
    bytes_sent: int
    bytes_received: int
    packets_sent: int
    packets_received: int
    retransmissions: int
    marked: int
    silent_ns: int


_u32, _u64, _text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p


class weir_opts(ctypes.Structure):
    _fields_ = [("size", _u32), ("flags", _u32), ("bind", _text), ("driver", _text), ("device", _text), ("cc", _text), ("rate_bps", _u64),
                ("base_rtt_ns", _u64), ("rx_bytes", _u64), ("tx_bytes", _u64), ("max_ops", _u32), ("max_peers", _u32), ("mtu", _u32),
                ("spin_us", _u32), ("peer_timeout_ns", _u64), ("protection", _text), ("key_file", _text), ("path", _text),
                ("spray_ports", _u32)]


class weir_sendopt(ctypes.Structure):
    _fields_ = [("size", _u32), ("flags", _u32), ("deadline_ns", _u64), ("weight_milli", _u32), ("priority", ctypes.c_uint8),
                ("unused", ctypes.c_uint8), ("reserved", ctypes.c_uint16)]


class weir_event(ctypes.Structure):
    _fields_ = [("type", _u32), ("result", ctypes.c_int32), ("user_data", _u64), ("rpc", _u64), ("peer", ctypes.c_void_p),
                ("data", ctypes.c_void_p), ("len", ctypes.c_size_t), ("lease", ctypes.c_void_p)]


class weir_limits_info(ctypes.Structure):
    _fields_ = [("size", _u32), ("mtu", _u32), ("payload_bytes", _u32), ("message_bytes_max", _u64), ("rate_bps", _u64), ("bdp_bytes", _u64)]


class weir_stats(ctypes.Structure):
    _fields_ = [("size", _u32), ("peers", _u32)] + [(name, _u64) for name in Stats._fields[1:]]


class weir_peer_stats(ctypes.Structure):
    _fields_ = [("size", _u32), ("connected", _u32)] + [(name, _u64) for name in PeerStats._fields[1:]]


class iovec(ctypes.Structure):
    _fields_ = [("base", _text), ("len", ctypes.c_size_t)]  # a bytes object as base is its memory, zeros included


EVENT = struct.Struct("@IiQQPPNP")  # struct weir_event


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """libweir, loaded at the first call; a weir.Error says why it is not."""
    lib = libraries.load("weir", "WEIR_LIBRARY", ABI)
    handle, number, pointer = ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
    operation = [pointer, number, _u64, pointer]  # iov, iov_count, user_data, opt
    libraries.declare(lib, "weir_", (
            ("open", number, [ctypes.POINTER(handle), ctypes.POINTER(weir_opts)]), ("open_error", _text, []),
            ("rekey", number, [handle, _text]), ("shutdown", number, [handle]), ("close", number, [handle]),
            ("address", number, [handle, pointer, pointer]), ("peer_get", number, [handle, _text, _u32, pointer]),
            ("peer_address", number, [handle, pointer, pointer]), ("peer_put", number, [handle, handle]),
            ("peer_error", _text, [handle]), ("peer_identity", _text, [handle]),
            ("send", number, [handle, handle, *operation]), ("call", number, [handle, handle, *operation]),
            ("reply", number, [handle, _u64, *operation]), ("reply_error", number, [handle, _u64, _u32, *operation]),
            ("last_op", _u64, [handle]), ("cancel_op", number, [handle, _u64]),
            ("poll", number, [handle, pointer, number, ctypes.c_int64]), ("release", None, [handle, handle]),
            ("fd", number, [handle]), ("deadline", _u64, [handle]), ("stats", number, [handle, pointer]),
            ("peer_stats", number, [handle, handle, pointer]), ("metrics_text", number, [handle, pointer, ctypes.c_size_t]),
            ("limits", number, [handle, pointer]), ("strerror", _text, [number]), ("abi_version", _u32, []), ("version", _text, [])))
    libraries.check_abi("weir", lib.weir_abi_version(), ABI)
    return lib
