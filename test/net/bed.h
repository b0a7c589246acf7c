/* test/net/bed.h - endpoints at a switch of real frames (src/commands/soft), in virtual time: what an endpoint sends becomes a frame, passes
 * its NIC and the switch at computed times, and becomes a datagram again. The order of events follows from the calls alone. */
#ifndef WEIR_TEST_NET_BED_H
#define WEIR_TEST_NET_BED_H
#include "soft/soft.h"
#include <weir/weir.h>

enum { BED_HOSTS_MAX = 8, BED_PORT = 7413 };

struct bed_config {
    const char *fabric; /* scenario of the switch: topology, protocol, fabric */
    const char *cc, *path;
    uint64_t rate_bps, base_rtt_ns;
    /* An endpoint has its processor for 20 us each time that this has passed; 0 = always */
    uint64_t every_ns;
};

struct bed;
struct bed *bed_new(const struct bed_config *cfg);
void bed_free(struct bed *bed);

struct weir_soft *bed_soft(const struct bed *bed);
struct weir_ep *bed_ep(const struct bed *bed, uint32_t host);
/* The link by which the switch sends to a host, and the one by which the host sends. */
const struct weir_soft_link *bed_to(const struct bed *bed, uint32_t host);
const struct weir_soft_link *bed_from(const struct bed *bed, uint32_t host);

/* Sends a message of zeros; one at a time per host and user_data. */
void bed_send(struct bed *bed, uint32_t from, uint32_t to, uint64_t bytes, uint64_t user_data);
/* Goes on to a time since the start. */
void bed_run(struct bed *bed, uint64_t until_ns);
/* Messages that have arrived, and those whose sender has been told; the times at which it was. */
uint32_t bed_arrived(const struct bed *bed);
uint32_t bed_sent(const struct bed *bed);
uint64_t bed_ended_ns(const struct bed *bed, uint64_t user_data); /* user_data: below 64; 0 = not yet */
#endif
