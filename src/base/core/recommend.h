/* src/base/core/recommend.h - parts that the recommendation lists of several laws share.
 * A recommendation list has the fabric, framing and hosts that a law was published with: texts "key: value" as in a
 * preset, ended by NULL. `weir compare` applies them before the law's preset, which may override them. A key that a
 * list leaves out keeps the scenario's value. */
#ifndef WEIR_CORE_RECOMMEND_H
#define WEIR_CORE_RECOMMEND_H

/* Lines for laws that were published for lossy networks, without PFC: packets may be dropped, and only lost packets are
 * retransmitted. */
#define WEIR_RECOMMEND_LOSSY "fabric.pfc.kind: off", "host.reliability: selective"

/* Line for laws of RDMA, on lossless networks: no packet is dropped. PFC is dynamic, because its thresholds then follow
 * from the memory of the switches, whatever its size. */
#define WEIR_RECOMMEND_LOSSLESS "fabric.pfc.kind: dynamic"

/* One marking threshold instead of a range; its value follows in the list, or comes from the preset. */
#define WEIR_RECOMMEND_ONE_STEP "fabric.ecn.kmin: none", "fabric.ecn.kmax: none"
#endif
