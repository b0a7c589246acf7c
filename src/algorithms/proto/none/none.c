/* src/algorithms/proto/none/none.c - the ops table of the protocol "none", which sends without any control. */
#include "proto/none/none.h"
#include "core/cc.h"
#include "core/recommend.h"

const struct weir_param weir_none_params[] = { { .key = NULL } };

/* Recommended settings: no PFC. The queues of ports stay as the scenario sets them. */
const char *const weir_none_recommends[] = { WEIR_RECOMMEND_LOSSY, NULL };

static void none_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WEIR_CWND_MAX_BYTES };
}

const struct weir_cc_ops weir_none_ops = {
    .name = "none",
    .state_bytes = sizeof(struct weir_cc),
    .needs = WEIR_NEED_NO_ACKS,
    .init = none_init,
};
