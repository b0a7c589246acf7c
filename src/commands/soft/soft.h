/* src/commands/soft/soft.h - a switch in user space. Real frames go from ports through a network of plain switches to
 * ports. They are delayed, marked, deflected and dropped as the simulator would do it. doc/softswitch.md.
 *
 * The ports and the clock are the caller's, so that tests run it in virtual time. A frame arrives at the time of the
 * step that reads it, at the NIC of its host: all that comes after has computed times. A frame leaves in the step after
 * its last bit has reached its host; how late that is, is measured. No decision reads a clock. */
#ifndef WEIR_SOFT_SOFT_H
#define WEIR_SOFT_SOFT_H
#include "mapping/mapping.h"
#include "measure/causes.h"
#include "measure/histogram.h"
#include "setup/setup.h"

struct weir_soft;

struct weir_soft_frame { /* an Ethernet frame, from Ethernet's header on, without check sequence */
    unsigned char *bytes;
    uint32_t length;
};

struct weir_soft_port { /* the cable of one host; no function waits */
    /* Reads frames that the host has sent: at most `most`, lent until the next call, and may be written. @return their
     * number */
    uint32_t (*rx)(void *ctx, struct weir_soft_frame *frame, uint32_t most);
    /* Takes a copy of a frame for the host. @return false = the ring is full */
    bool (*tx)(void *ctx, const unsigned char *bytes, uint32_t length);
    /* Gives to the kernel what tx() has taken. NULL = not needed */
    void (*kick)(void *ctx);
    void *ctx;
};

enum weir_soft_event {                    /* of a frame that is captured */
                       WEIR_SOFT_CAME,    /* from a host, as it was */
                       WEIR_SOFT_LEFT,    /* to a host */
                       WEIR_SOFT_DROPPED, /* by a weir_soft_cause: it came before, or it was to leave now */
};

struct weir_soft_captured { /* lent for the call */
    const unsigned char *bytes;
    uint32_t length;
    uint32_t host;
    uint64_t at_ps;    /* of the step that read it; of a packet that leaves the computed time, which no step changes */
    const char *cause; /* of DROPPED, as in weir_soft_causes[]; else NULL */
    enum weir_soft_event event;
};

struct weir_soft_config {
    const struct weir_setup *setup;            /* by weir_setup_fabric(); outlives the switch */
    const struct weir_soft_port *port;         /* one per host; outlives the switch */
    uint32_t mtu_bytes;                        /* longest IP packet of a frame */
    uint32_t frames;                           /* most frames in the switch, with those in NICs */
    uint32_t nic_frames;                       /* most frames that wait in a NIC: those of one host */
    uint16_t udp_port[WEIR_MAPPING_PORTS_MAX]; /* of libweir's endpoints; 0 = no more */
    bool learns;     /* addresses of hosts are learned, besides those of weir_soft_address() */
    bool pfc_frames; /* pauses are sent to NICs of hosts as frames, and those of NICs are obeyed; needs PFC */
    /* Is given each frame that came or left. Times of frames that leave may be below those of frames that came in the
     * same step. NULL = not needed */
    void (*capture)(void *ctx, const struct weir_soft_captured *frame);
    void *capture_ctx;
};

/* Makes a switch that is empty at time 0. @return 0, or a code with err: WEIR_E_MEMORY; WEIR_E_CONFLICT: the scenario
 * has what no real network of ours has (cables that fail, hosts that restart). *soft is then NULL */
int weir_soft_init(struct weir_soft **soft, const struct weir_soft_config *cfg, struct weir_err *err);
/* Frees all of it. soft: may be NULL */
void weir_soft_free(struct weir_soft *soft);

/* Adds an address of a host. @return 0, or a code of weir_mapping_add() with err */
int weir_soft_address(struct weir_soft *soft, const struct weir_mapping_address *address, uint32_t host,
                      struct weir_err *err);

/**
 * Reads all ports once, in order of hosts, does all that happens up to now_ps, and sends what has arrived at hosts.
 * @param now_ps  later than that of the step before
 * @return when something happens next; WEIR_NEVER = the switch is empty. 0 = more frames may be waiting at a port
 */
uint64_t weir_soft_step(struct weir_soft *soft, uint64_t now_ps);

/* ---- what it has done ---- */

/* Causes of drops before a frame comes to a switch, or after it has left one; an index of weir_soft_causes[]. */
enum weir_soft_cause {
    WEIR_SOFT_RING,   /* switch.ring: a ring of a port was full; what the kernel drops is added by weir_soft_lost() */
    WEIR_SOFT_NIC,    /* switch.nic: nic_frames of its host wait already */
    WEIR_SOFT_FRAMES, /* switch.frames: the switch has no frame left */
    WEIR_SOFT_NOTICE, /* switch.notice: a NOTICE of a switch, for which there is no frame */
    WEIR_SOFT_CAUSES
};
extern const char *const weir_soft_causes[WEIR_SOFT_CAUSES];

struct weir_soft_host {                    /* counts of a host's cable */
    uint64_t rx_frames, rx_bytes;          /* from the host; bytes of frames */
    uint64_t tx_frames, tx_bytes;          /* to the host */
    uint64_t pauses_sent, pauses_received; /* PFC frames to its NIC, and from it */
    uint64_t flooded;                      /* frames that went to all other hosts at once, past the switches */
    uint64_t dropped[WEIR_SOFT_CAUSES];    /* of frames from the host, but for RING: of frames from and to it */
    uint64_t late_ps, late_max_ps;         /* of frames that left a switch, not of flooded ones: sum and most .. */
    struct weir_histogram late_ns;         /* .. of how late they were */
};

struct weir_soft_class {                       /* frames of a class that left a port, and their time in its queue */
    uint64_t frames, waited_ns, waited_max_ns; /* waited_ns: of all of them together */
};

struct weir_soft_link { /* counts of a port and the link that it feeds */
    uint64_t frames, bytes;
    uint64_t drops, losses, marks;
    uint64_t queue_bytes, queue_max_bytes; /* now, and the longest */
    uint64_t queue_byte_us; /* the queue summed over time: what it grows by in a time, over that time, is a mean */
    uint64_t waiting_frames;
    struct weir_histogram waited_ns; /* of frames that left the queue */
    struct weir_soft_class of_class[WEIR_CLASSES_MAX];
};

/* Adds frames that the kernel has dropped at a port of a host, as WEIR_SOFT_RING. */
void weir_soft_lost(struct weir_soft *soft, uint32_t host, uint64_t frames);

/* Returns how late frames to a host were in the mean; 0 = none has left a switch. */
uint64_t weir_soft_late_mean_ns(const struct weir_soft_host *host);

/* Returns counts, which are lent until the next call. link: as in the topology */
const struct weir_soft_host *weir_soft_host(const struct weir_soft *soft, uint32_t host);
const struct weir_soft_link *weir_soft_link(struct weir_soft *soft, uint32_t link);
const struct weir_causes *weir_soft_causes_of(const struct weir_soft *soft);
const struct weir_mapping_counts *weir_soft_mapping(const struct weir_soft *soft);

/* Returns the host that has sent the last frame which was dropped by a cause of the mapping, by whose counts there was
 * one. */
uint32_t weir_soft_dropped_from(const struct weir_soft *soft, enum weir_mapping_cause cause);

/* Writes a sentence about the last frame that a host has sent from the address of another into err, as
 * weir_mapping_moved() does. */
int weir_soft_moved(const struct weir_soft *soft, struct weir_err *err);

/* Writes the counters of all features to count[]; weir_features_counts() says how many there are. Those of times are up
 * to the last step. The switch goes on as if nobody had asked. @return false = no memory */
bool weir_soft_features(const struct weir_soft *soft, struct weir_feature_count *count, uint32_t counts);

/* Returns how many frames are in the switch. */
uint32_t weir_soft_frames(const struct weir_soft *soft);

/* Checks the invariants of all switches. @return a sentence about one that does not hold; NULL = all hold */
const char *weir_soft_broken(const struct weir_soft *soft);
#endif
