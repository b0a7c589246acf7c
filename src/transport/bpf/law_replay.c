/* src/transport/bpf/law_replay.c - flows of a replay, and the comparison. */
#include "bpf/law_replay.h"
#include "core/math.h"
#include <stdlib.h>
#include <string.h>

#define EARLIER 1024u /* numbers below the first that is seen, for flows that begin at the same time on other CPUs */

struct flow {
    uint64_t number, base_rtt_ps, sequence; /* number: 0 = its beginning was not seen, or events after it are lost */
    _Alignas(8) unsigned char state[WEIR_REPLAY_STATE_BYTES];
};

struct weir_replay {
    const struct weir_replay_law *law;
    const void *config;
    struct flow *flow; /* by number: index number - first */
    uint64_t first, count;
    struct weir_replay_result result;
};

struct weir_replay *weir_replay_new(const char *law, const void *config)
{
    const struct weir_replay_law *const laws[] = { &weir_replay_dctcp, &weir_replay_soze, &weir_replay_swift,
                                                   &weir_replay_timely };
    const struct weir_replay_law *found = NULL;
    struct weir_replay *replay;
    for (size_t i = 0; i < sizeof(laws) / sizeof(*laws) && found == NULL; i++)
        if (strcmp(laws[i]->name, law) == 0)
            found = laws[i];
    replay = found != NULL ? calloc(1, sizeof(*replay)) : NULL;
    if (replay != NULL)
        replay->law = found, replay->config = config;
    return replay;
}

void weir_replay_free(struct weir_replay *replay)
{
    if (replay != NULL)
        free(replay->flow);
    free(replay);
}

/* Returns the flow of an event; NULL = its beginning was not seen, or there is no memory. */
static struct flow *find(struct weir_replay *r, const struct weir_tcp_event *e)
{
    struct flow *more;
    if (r->count > 0 && e->flow - r->first < r->count && r->flow[e->flow - r->first].number != 0)
        return &r->flow[e->flow - r->first];
    if (e->kind != WEIR_TCP_BEGIN || (r->count > 0 && e->flow < r->first))
        return NULL;
    if (r->count == 0)
        r->first = e->flow - weir_min_u64(e->flow, EARLIER);
    if (e->flow - r->first >= r->count) {
        uint64_t count = 2 * (e->flow - r->first) + 16;
        more = realloc(r->flow, count * sizeof(*more));
        if (more == NULL)
            return NULL;
        memset(more + r->count, 0, (count - r->count) * sizeof(*more));
        r->flow = more;
        r->count = count;
    }
    r->result.flows++;
    r->flow[e->flow - r->first].number = e->flow;
    return &r->flow[e->flow - r->first];
}

static void replay(const struct weir_replay *r, struct flow *f, const struct weir_tcp_event *e)
{
    if (e->base_rtt_ps != f->base_rtt_ps) {
        f->base_rtt_ps = e->base_rtt_ps;
        r->law->base(f->state, e->base_rtt_ps);
    }
    switch ((enum weir_tcp_event_kind)e->kind) {
    case WEIR_TCP_BEGIN:
        r->law->begin(f->state, r->config, e);
        break;
    case WEIR_TCP_ACK:
        r->law->ack(f->state, r->config, &e->ack);
        break;
    case WEIR_TCP_LOSS:
        r->law->loss(f->state, r->config, &e->loss);
        break;
    case WEIR_TCP_WEIGHT:
        r->law->weight(f->state, r->config, ((uint64_t)e->weight_milli << 20) / 1000);
        break;
    }
}

int weir_replay_event(struct weir_replay *r, const struct weir_tcp_event *e)
{
    struct flow *f = find(r, e);
    struct weir_cc here;
    r->result.events++;
    if (f != NULL && e->kind != WEIR_TCP_BEGIN && e->sequence != f->sequence + 1) {
        f->number = 0; /* until it begins anew */
        r->result.gaps++;
        f = NULL;
    }
    if (f == NULL) {
        r->result.skipped++;
        return e->kind == WEIR_TCP_BEGIN && e->flow >= r->first ? WEIR_E_MEMORY : 0;
    }
    f->sequence = e->sequence;
    replay(r, f, e);
    memcpy(&here, f->state, sizeof(here));
    if (here.cwnd_bytes == e->answer.cwnd_bytes && here.rate_bps == e->answer.rate_bps)
        return 0;
    if (r->result.different++ == 0) {
        r->result.first = *e;
        r->result.here = here;
    }
    return 0;
}

const struct weir_replay_result *weir_replay_result(const struct weir_replay *r)
{
    return &r->result;
}
