/* src/transport/raw/raw.h - an Ethernet port of this machine: whole frames in and out, polled, without waiting. The
 * port takes all frames that the device receives, on each of its queues, whomever they are for.
 *
 * AF_XDP in copy mode, with an XDP program in the driver or, if that cannot have one, in the kernel's generic hook; no
 * frame goes on to the kernel. Else a ring of AF_PACKET (TPACKET_V2: version 3 hands frames over by blocks, up to a
 * millisecond late). What the kernel holds for a port ends with the process, also by SIGKILL. What does not is in
 * struct weir_raw_device. */
#ifndef WEIR_RAW_RAW_H
#define WEIR_RAW_RAW_H
#include "raw/frame.h"

#define WEIR_RAW_RING_FRAMES 4096u
#define WEIR_RAW_MTU_MAX 9216u

enum weir_raw_kind {
    WEIR_RAW_AUTO, /* AF_XDP; if that cannot be had TPACKET */
    WEIR_RAW_XDP,
    WEIR_RAW_TPACKET,
};
extern const char *const weir_raw_kinds[3]; /* "auto", "af_xdp", "tpacket" */

struct weir_raw_options {
    enum weir_raw_kind kind;
    uint32_t ring_frames; /* of each ring, a power of two; 0 = WEIR_RAW_RING_FRAMES */
};

struct weir_raw_stats {
    uint64_t rx_frames, rx_bytes, tx_frames, tx_bytes;
    uint64_t rx_lost;   /* by the kernel's counters: found the ring full */
    uint64_t tx_full;   /* frames that weir_raw_tx() did not take */
    uint64_t tx_failed; /* frames that the device did not take */
};

struct weir_raw;

/* Opens a port. The device is changed by weir_raw_device_open().
 * @param device  by weir_raw_device_read()
 * @return 0; *raw is to be closed. Else a code with err, and the device is as before: WEIR_E_CONFLICT, WEIR_E_RUN */
int weir_raw_open(struct weir_raw **raw, const struct weir_raw_device *device, const struct weir_raw_options *options,
                  struct weir_err *err);

/* Takes frames that have come. They are lent until the next call, and may be written; one that is longer than the MTU
 * may be cut, but to more than the MTU. most: at most WEIR_RAW_LENT_MAX. @return how many */
uint32_t weir_raw_rx(struct weir_raw *raw, struct weir_raw_frame *frame, uint32_t most);

/* Copies a frame into the ring. length: Ethernet's header and the MTU at most. @return false = the ring is full; that
 * is counted */
bool weir_raw_tx(struct weir_raw *raw, const unsigned char *bytes, uint32_t length);

/* Makes the kernel send what the ring has. */
void weir_raw_kick(struct weir_raw *raw);

/* Returns counts since the port was opened, lent until the next call. */
const struct weir_raw_stats *weir_raw_stats(struct weir_raw *raw);

/* Returns a descriptor that is readable when frames have come. */
int weir_raw_fd(const struct weir_raw *raw);

/* Returns how the port receives: WEIR_RAW_XDP or _TPACKET. */
enum weir_raw_kind weir_raw_kind(const struct weir_raw *raw);

/* Closes a port, and makes the device what it was. raw: may be NULL */
void weir_raw_close(struct weir_raw *raw);
#endif
