/* src/commands/soft/counters.h - what features have counted so far, as if the run ended now. */
#ifndef WEIR_SOFT_COUNTERS_H
#define WEIR_SOFT_COUNTERS_H
#include "hooks/chain.h"
#include "model/model.h"
#include "switch/network.h"

/* Adds the counters of all features of a network. on_end hooks complete them: they are called with copies of the
 * features' state, since the network goes on. @return false = no memory */
bool soft_counters(const struct weir_model *m, struct weir_network *net, uint64_t now_ps,
                   struct weir_feature_count *count, uint32_t counts);
#endif
