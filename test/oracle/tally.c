/* test/oracle/tally.c - what the scenarios of a test exercised. */
#include "core/feature_counter.h"
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <string.h>

/* What features counted under this name. */
static uint64_t counted(const struct weir_result *r, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->feature_counts; i++)
        if (strcmp(r->feature_count[i].counter->name, name) == 0)
            sum += r->feature_count[i].value;
    return sum;
}

void twin_add_to_tally(struct twin_tally *t, const struct weir_result *r)
{
    t->hops += r->packet_hops;
    t->drops += r->drops;
    t->losses += r->losses;
    t->marks += r->marks;
    t->retransmissions += r->retransmissions;
    t->duplicates += r->duplicates;
    t->timeouts += r->timeouts;
    t->restarts += r->restarts;
    t->lost += r->messages_lost;
    t->stale += r->stale_pkts;
    t->pauses += counted(r, "pause_frames");
    t->lossless_drops += counted(r, "lossless_drops");
    t->notices += counted(r, "notices");
}

void twin_print_tally(const char *title, const struct twin_tally *t)
{
    (void)printf("%s: %" PRIu64 " cases, %" PRIu64 " different, %" PRIu64 " refused, %" PRIu64
                 " not at their end; %" PRIu64 " packet-hops, %" PRIu64 " drops, %" PRIu64 " losses, %" PRIu64
                 " marks, %" PRIu64 " retransmissions, %" PRIu64 " needless, %" PRIu64 " timeouts, %" PRIu64
                 " restarts, %" PRIu64 " messages lost with them, %" PRIu64 " stale packets, %" PRIu64
                 " pauses, %" PRIu64 " lossless drops, %" PRIu64 " notices, %" PRIu64 " flows of jobs, %" PRIu64
                 " tapped packets, %" PRIu64 " cases by the general port, %" PRIu64 " deferred-hook windows, %" PRIu64
                 " step-by-step ones, %" PRIu64 " switch-overs; oracle %" PRIu64 " ms, engine %" PRIu64 " ms\n",
                 title, t->cases, t->different, t->refused, t->late, t->hops, t->drops, t->losses, t->marks,
                 t->retransmissions, t->duplicates, t->timeouts, t->restarts, t->lost, t->stale, t->pauses,
                 t->lossless_drops, t->notices, t->flows, t->tapped, t->general, t->calm, t->exact, t->handovers,
                 t->oracle_ns / 1000000, t->engine_ns / 1000000);
    (void)fflush(stdout);
}
