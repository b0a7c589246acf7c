/* src/algorithms/host/stream/schedule.c - host.nic_schedule: weighted. Start-time fair queueing (Goyal, Vin and Cheng,
 * SIGCOMM 1996): the packet of a connection has a start, and the one with the least start leaves next. The next packet
 * starts where this one finishes, its bytes over the weight later, but not before the start of the packet that was sent
 * last. So what a connection did not send while it had nothing is not made up for. The present weight counts, also for
 * the packet that has left: a new weight acts at once. If the law has one state per destination, so has the schedule.
 * Times count 2^-16 of a wire byte at weight 1. */
#include "host/common/table.h"
#include "host/stream/schedule.h"
#include "host/stream/track.h"

#define SCHEDULE_FRAC_BITS 16u
/* The clock begins again here: a packet of 2^14 bytes and the least weight, 2^-20, adds 2^50. */
#define SCHEDULE_CLOCK_MAX (UINT64_C(1) << 62)
#define SCHEDULE_CLOCK_MIN (UINT64_C(1) << 52)

struct host_sent { /* the latest packet of a flow record with a law's state */
    uint64_t start;
    uint32_t bytes; /* on the wire; 0 = there was none */
};

void host_schedule_init(struct weir_host *h)
{
    host_stream_of(h)->sent = (struct host_table){ .stride = sizeof(struct host_sent), .free = HOST_NONE };
}

/* Returns the number of the flow record with the law's state of connection `index`. */
static uint32_t schedule_record(const struct weir_host *h, uint32_t index, struct host_flow *f)
{
    WEIR_CHECK(!f->shared);
    return host_stream_of(h)->per_peer ? host_member_of(f)->shared : index;
}

/* Returns the start of the next packet of connection `index`. */
uint64_t host_schedule_start(const struct weir_host *h, uint32_t index, struct host_flow *f)
{
    const struct host_stream *s = host_stream_of(h);
    uint64_t weight_q20 = host_track_weight_q20(h, f->msg);
    uint32_t i = schedule_record(h, index, f);
    WEIR_CHECK(weight_q20 > 0);
    if (i >= s->sent.count)
        return s->schedule_clock;
    const struct host_sent *sent = HOST_RECORD(struct host_sent, &s->sent, i);
    return weir_max_u64(sent->start + ((uint64_t)sent->bytes << (20 + SCHEDULE_FRAC_BITS)) / weight_q20,
                        s->schedule_clock);
}

/* Sets the clock and all starts back by as much. A start that would be negative becomes 0: that packet finished before
 * the clock, and still does. */
static HOST_COLD void schedule_begin_again(struct host_stream *s)
{
    uint64_t back = s->schedule_clock - SCHEDULE_CLOCK_MIN;
    WEIR_ASSERT(s->schedule_clock >= SCHEDULE_CLOCK_MAX);
    for (uint32_t i = 0; i < s->sent.count; i++) {
        struct host_sent *sent = HOST_RECORD(struct host_sent, &s->sent, i);
        sent->start -= weir_min_u64(sent->start, back);
    }
    s->schedule_clock -= back;
}

/* Sets the clock to the start of a packet of wire_bytes that connection `index` sends. */
void host_schedule_sent(struct weir_host *h, uint32_t index, struct host_flow *f, uint32_t wire_bytes)
{
    struct host_stream *s = host_stream_of(h);
    uint64_t start = host_schedule_start(h, index, f);
    uint32_t i = schedule_record(h, index, f), last;
    WEIR_CHECK(wire_bytes <= WEIR_WIRE_MAX_BYTES);
    while (s->sent.count <= i) {
        struct host_sent *added = host_table_add(h, &s->sent, HOST_BLOCK_SHIFT, &last);
        WEIR_ASSERT(added != NULL); /* 16 bytes per connection: without that memory the run cannot go on */
    }
    *HOST_RECORD(struct host_sent, &s->sent, i) = (struct host_sent){ .start = start, .bytes = wire_bytes };
    WEIR_CHECK(start >= s->schedule_clock);
    s->schedule_clock = start;
    if (WEIR_UNLIKELY(start >= SCHEDULE_CLOCK_MAX))
        schedule_begin_again(s);
}
