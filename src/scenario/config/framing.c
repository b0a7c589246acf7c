/* src/scenario/config/framing.c - the keys of a framing, which say how many bytes surround a payload, and four presets
 * of them, as published results use. */
#include "core/host_params.h"
#include "core/units.h"

#define SIZE_ROW(name, field, lo, hi, def, text)                                                                       \
    WEIR_PARAM_NAMED(name, struct weir_framing, field, WEIR_KIND_SIZE32, lo, hi, def, text)

/* The largest packet, 9216 + 256 + 64 bytes, stays within WEIR_WIRE_MAX_BYTES. */
const struct weir_param weir_framing_params[] = {
    SIZE_ROW("payload", payload_bytes, 1, 9216, 1460,
             "payload of a full packet, the MSS; 1460 B is TCP in a frame of 1518"),
    SIZE_ROW("header", header_bytes, 0, 256, 58,
             "headers in the frame; 58 B = Ethernet with CRC 18 + IPv4 20 + TCP 20"),
    SIZE_ROW("gap", gap_bytes, 0, 64, 20,
             "between frames on the wire; 20 B = preamble 8 + inter-packet gap 12 (IEEE 802.3)"),
    SIZE_ROW(
        "min_wire", min_wire_bytes, 1, 9536, 84,
        "least a packet takes of the wire, gap included; 84 B = 64 + 20. As much as a full packet: all count alike"),
    SIZE_ROW("ack_wire", ack_wire_bytes, 1, 512, 84, "what an acknowledgement takes of the wire, gap included"),
    { 0 },
};
_Static_assert(9216 + 256 + 64 <= WEIR_WIRE_MAX_BYTES, "rows above");

const struct weir_framing weir_framing_plain = {
    .payload_bytes = 1460, .header_bytes = 58, .gap_bytes = 20, .min_wire_bytes = 84, .ack_wire_bytes = 84
};

static const char *const ethernet[] = { "payload: 1460 B", "header: 58 B",   "gap: 20 B",
                                        "min_wire: 84 B",  "ack_wire: 84 B", NULL };
static const char *const ns2[] = { "payload: 1460 B", "header: 40 B",   "gap: 0 B",
                                   "min_wire: 40 B",  "ack_wire: 40 B", NULL };
static const char *const hpcc[] = { "payload: 1000 B", "header: 48 B",   "gap: 0 B",
                                    "min_wire: 60 B",  "ack_wire: 60 B", NULL };
static const char *const udp[] = { "payload: 1458 B", "header: 60 B",   "gap: 20 B",
                                   "min_wire: 84 B",  "ack_wire: 84 B", NULL };

const struct weir_preset weir_framing_presets[] = {
    { "ethernet", "TCP/IPv4 in real Ethernet frames: 1538 bytes of wire for 1460 of payload", ethernet },
    { "ns2",
      "ns-2's FullTcp as in SIRD's evaluation of DCTCP: 1500 bytes for 1460, acknowledgements of 40, no Ethernet",
      ns2 },
    { "hpcc", "HPCC's public ns-3 simulator: payload 1000, 48 of PPP, IPv4, UDP and sequence headers, no gap, least 60",
      hpcc },
    { "udp", "UDP/IPv4 with a transport header of 14 in real Ethernet frames, as SIRD: 1538 bytes for 1458", udp },
    { 0 },
};
