/* src/base/core/recommend.h - parts that the lists of several laws share. Such a list says which fabric, framing and
 * hosts the law was published with: lines "key: value", as in a preset, NULL-terminated. `weir compare` sets them,
 * below what the law's preset says of these sections. Keys that a list leaves out are the scenario's. */
#ifndef WEIR_CORE_RECOMMEND_H
#define WEIR_CORE_RECOMMEND_H

/* Laws that were published without pauses: packets may be dropped, and only what is lost is sent again. */
#define WEIR_RECOMMEND_LOSSY "fabric.pfc.kind: off", "host.reliability: selective"

/* Laws for RDMA: nothing is dropped. Dynamic, because its thresholds follow from whatever memory the switches have. */
#define WEIR_RECOMMEND_LOSSLESS "fabric.pfc.kind: dynamic"

/* One threshold for marking; the line with its value follows, or is the preset's. */
#define WEIR_RECOMMEND_ONE_STEP "fabric.ecn.kmin: none", "fabric.ecn.kmax: none"
#endif
