/* src/algorithms/proto/none/none.h - no transport at all: each message is one packet, sent at once and never
 * acknowledged. It serves open-loop loads, which measure the network itself or the simulator. */
#ifndef WEIR_PROTO_NONE_H
#define WEIR_PROTO_NONE_H
#include "core/param.h"

struct weir_cc_ops;

struct weir_none_config { /* nothing to configure; C requires a member */
    uint32_t unused;
};

extern const struct weir_cc_ops weir_none_ops;
extern const struct weir_param weir_none_params[];
extern const char *const weir_none_recommends[]; /* core/recommend.h */
#endif
