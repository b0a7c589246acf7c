/* src/transport/bpf/replay_law.h - the row of a law for law_replay.c: the same text as tcp_law.h runs in the kernel,
 * compiled for this process. A law's file includes its functions first, and defines LAW_NAME. */
#ifndef WEIR_BPF_REPLAY_LAW_H
#define WEIR_BPF_REPLAY_LAW_H
#include "bpf/law_replay.h"

static void replay_begin(void *state, const void *config, const struct weir_tcp_event *e)
{
    law_begin(state, config, &e->path, e->start_bytes);
}

static void replay_base(void *state, uint64_t base_rtt_ps)
{
    law_base(state, base_rtt_ps);
}

static void replay_ack(void *state, const void *config, const struct weir_ack *ack)
{
    law_ack(state, config, ack);
}

static void replay_loss(void *state, const void *config, const struct weir_loss *loss)
{
    law_loss(state, config, loss);
}

static void replay_weight(void *state, const void *config, uint64_t weight_q20)
{
    law_weight(state, config, weight_q20);
}

_Static_assert(sizeof(struct law_state) <= WEIR_REPLAY_STATE_BYTES, "a flow of the replay has room for it");

#define REPLAY_ROW_(law) weir_replay_##law
#define REPLAY_ROW(law) REPLAY_ROW_(law)
#define REPLAY_TEXT_(law) #law
#define REPLAY_TEXT(law) REPLAY_TEXT_(law)
const struct weir_replay_law REPLAY_ROW(LAW_NAME) = { REPLAY_TEXT(LAW_NAME), replay_begin, replay_base, replay_ack,
                                                      replay_loss,           replay_weight };
#endif
