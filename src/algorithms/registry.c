/* src/algorithms/registry.c - the tables of all protocols and all switch features. */
#include "registry.h"
#include "core/credit_ops.h"
#include "core/feature.h"
#include "features/buffer/buffer.h"
#include "features/cables/cables.h"
#include "features/codel/codel.h"
#include "features/credit_gate/credit_gate.h"
#include "features/deflect/deflect.h"
#include "features/delay_variation/delay_variation.h"
#include "features/ecn/ecn.h"
#include "features/failures/failures.h"
#include "features/fair_rate/fair_rate.h"
#include "features/int/int.h"
#include "features/lanes/lanes.h"
#include "features/loss/loss.h"
#include "features/maxqd/maxqd.h"
#include "features/pfc/pfc.h"
#include "features/phantom/phantom.h"
#include "features/priorities/priorities.h"
#include "features/rcp/rcp.h"
#include "features/rpm/rpm.h"
#include "features/wrr/wrr.h"
#include "proto/aimd/aimd.h"
#include "proto/cubic/cubic.h"
#include "proto/dart/dart.h"
#include "proto/dcpim/dcpim.h"
#include "proto/dcqcn/dcqcn.h"
#include "proto/dctcp/dctcp.h"
#include "proto/expresspass/expresspass.h"
#include "proto/fncc/fncc.h"
#include "proto/homa/homa.h"
#include "proto/hpcc/hpcc.h"
#include "proto/ndp/ndp.h"
#include "proto/newreno/newreno.h"
#include "proto/none/none.h"
#include "proto/rcp/rcp.h"
#include "proto/rocc/rocc.h"
#include "proto/sird/sird.h"
#include "proto/soze/soze.h"
#include "proto/swift/swift.h"
#include "proto/timely/timely.h"

const struct weir_protocol weir_protocols[] = {
    {
        .name = "dctcp",
        .hint = "Data Center TCP: cuts the window by the share of packets that switches marked",
        .source = "Alizadeh et al., SIGCOMM 2010; RFC 8257",
        .cc = &weir_dctcp_ops,
        .params = weir_dctcp_params,
        .presets = weir_dctcp_presets,
        .recommends = weir_dctcp_recommends,
        .config_bytes = sizeof(struct weir_dctcp_config),
        .style = { 1, 1, 1 },
        .check = weir_dctcp_check,
    },
    {
        .name = "hpcc",
        .hint = "High Precision Congestion Control: a window from what the busiest switch port has sent and holds",
        .source = "Li et al., SIGCOMM 2019; its public ns-3 simulator",
        .cc = &weir_hpcc_ops,
        .params = weir_hpcc_params,
        .presets = weir_hpcc_presets,
        .recommends = weir_hpcc_recommends,
        .config_bytes = sizeof(struct weir_hpcc_config),
        .style = { 4, 7, 5 },
        .check = weir_hpcc_check,
        .telemetry = weir_hpcc_telemetry,
    },
    {
        .name = "fncc",
        .hint = "Fast Notification Congestion Control: HPCC with telemetry put into ACKs, and the fair share at the "
                "last hop",
        .source = "Xu et al., arXiv 2405.07608",
        .cc = &weir_fncc_ops,
        .params = weir_fncc_params,
        .presets = weir_fncc_presets,
        .recommends = weir_fncc_recommends,
        .config_bytes = sizeof(struct weir_fncc_config),
        .style = { 1, 5, 4 },
        .check = weir_fncc_check,
        .telemetry = weir_hpcc_telemetry,
    },
    {
        .name = "dcqcn",
        .hint = "a rate per flow that marks cut and timers bring back; as published and as vendors ship it",
        .source = "Zhu et al., SIGCOMM 2015; the public ns-3 simulator of HPCC",
        .cc = &weir_dcqcn_ops,
        .params = weir_dcqcn_params,
        .presets = weir_dcqcn_presets,
        .recommends = weir_dcqcn_recommends,
        .config_bytes = sizeof(struct weir_dcqcn_config),
        .style = { 3, 3, 8 },
        .check = weir_dcqcn_check,
    },
    {
        .name = "dart",
        .hint =
            "receivers count their senders and tell each line / n; elsewhere DCQCN. Without deflection and look-ahead",
        .source = "Xue et al., IEEE/ACM Transactions on Networking 28(1), 2020",
        .cc = &weir_dart_ops,
        .params = weir_dart_params,
        .presets = weir_dart_presets,
        .recommends = weir_dart_recommends,
        .config_bytes = sizeof(struct weir_dart_config),
        .style = { 5, 1, 2 },
        .check = weir_dart_check,
    },
    {
        .name = "timely",
        .hint = "a rate per flow that follows the round trip and its gradient; asks nothing of switches",
        .source = "Mittal et al., SIGCOMM 2015; Zhu et al., CoNEXT 2016",
        .cc = &weir_timely_ops,
        .params = weir_timely_params,
        .presets = weir_timely_presets,
        .recommends = weir_timely_recommends,
        .config_bytes = sizeof(struct weir_timely_config),
        .style = { 2, 6, 5 },
        .check = weir_timely_check,
    },
    {
        .name = "swift",
        .hint =
            "windows that follow the delay of the network and of the receiver; the target grows with the path and as "
            "the window shrinks, and below one packet there is pacing",
        .source = "Kumar et al., SIGCOMM 2020",
        .cc = &weir_swift_ops,
        .params = weir_swift_params,
        .presets = weir_swift_presets,
        .recommends = weir_swift_recommends,
        .config_bytes = sizeof(struct weir_swift_config),
        .style = { 4, 4, 4 },
        .check = weir_swift_check,
    },
    {
        .name = "rocc",
        .hint = "Robust Congestion Control: congested ports compute a fair rate and notify their flows",
        .source = "Taheri et al., CoNEXT 2020",
        .cc = &weir_rocc_ops,
        .params = weir_rocc_params,
        .presets = weir_rocc_presets,
        .recommends = weir_rocc_recommends,
        .config_bytes = sizeof(struct weir_rocc_config),
        .style = { 4, 1, 7 },
        .check = weir_rocc_check,
    },
    {
        .name = "rcp",
        .hint = "Rate Control Protocol: ports compute one rate for their flows and write it into data",
        .source = "Dukkipati et al., IWQoS 2005; the authors' public ns-2 module",
        .cc = &weir_rcp_ops,
        .params = weir_rcp_params,
        .presets = weir_rcp_presets,
        .recommends = weir_rcp_recommends,
        .config_bytes = sizeof(struct weir_rcp_config),
        .style = { 1, 4, 7 },
    },
    {
        .name = "soze",
        .hint = "shares of every link in proportion to the flows' weights, from the longest queueing delay of the path",
        .source = "Wang and Ng, OSDI 2025",
        .cc = &weir_soze_ops,
        .params = weir_soze_params,
        .presets = weir_soze_presets,
        .recommends = weir_soze_recommends,
        .config_bytes = sizeof(struct weir_soze_config),
        .style = { 7, 1, 3 },
        .check = weir_soze_check,
        .delays = weir_soze_delays,
    },
    {
        .name = "aimd",
        .hint = "a window that grows below a threshold of queueing delay and is cut above it: for ports that share by "
                "weighted round robin",
        .source = "the WRR baseline of Wang and Ng, OSDI 2025",
        .cc = &weir_aimd_ops,
        .params = weir_aimd_params,
        .recommends = weir_aimd_recommends,
        .config_bytes = sizeof(struct weir_aimd_config),
        .style = { 2, 3, 8 },
        .check = weir_aimd_check,
    },
    {
        .name = "newreno",
        .hint = "TCP NewReno: halves its window once per round trip for losses or marks, else grows by a packet",
        .source = "RFC 5681, RFC 6582, RFC 3168",
        .cc = &weir_newreno_ops,
        .params = weir_newreno_params,
        .presets = weir_newreno_presets,
        .recommends = weir_newreno_recommends,
        .config_bytes = sizeof(struct weir_newreno_config),
        .style = { 8, 4, 6 },
        .check = weir_newreno_check,
    },
    {
        .name = "cubic",
        .hint = "TCP CUBIC: a window that follows a cubic of the time since it was cut, for losses or marks",
        .source = "RFC 9438; Ha and Rhee, Computer Networks 2011",
        .cc = &weir_cubic_ops,
        .params = weir_cubic_params,
        .presets = weir_cubic_presets,
        .recommends = weir_cubic_recommends,
        .config_bytes = sizeof(struct weir_cubic_config),
        .style = { 8, 1, 8 },
        .check = weir_cubic_check,
    },
    {
        .name = "none",
        .hint = "no transport: every message is one packet, sent at once and never acknowledged",
        .source = "none; for open-loop loads",
        .cc = &weir_none_ops,
        .params = weir_none_params,
        .recommends = weir_none_recommends,
        .config_bytes = sizeof(struct weir_none_config),
        .style = { 8, 8, 1 },
    },
    {
        .name = "sird",
        .hint = "Sender-Informed Receiver-Driven: receivers hand out credit, mostly to senders that can use it at once",
        .source = "Prasopoulos et al., NSDI 2025",
        .credit = &weir_sird_ops,
        .params = weir_sird_params,
        .presets = weir_sird_presets,
        .recommends = weir_sird_recommends,
        .config_bytes = sizeof(struct weir_sird_config),
        .style = { 3, 5, 3 },
        .check = weir_sird_check,
    },
    {
        .name = "dcpim",
        .hint = "dcPIM: rounds of a random matching of senders and receivers, an epoch ahead of the data; tokens per "
                "packet",
        .source = "Cai et al., SIGCOMM 2022; its public simulator; doc/dcpim.md",
        .credit = &weir_dcpim_ops,
        .params = weir_dcpim_params,
        .presets = weir_dcpim_presets,
        .recommends = weir_dcpim_recommends,
        .config_bytes = sizeof(struct weir_dcpim_config),
        .style = { 6, 3, 6 },
        .check = weir_dcpim_check,
    },
    {
        .name = "ndp",
        .hint =
            "NDP without trimming: a window at once, then each packet that arrives pulls another, at the link's rate",
        .source = "Handley et al., SIGCOMM 2017; doc/add-a-receiver-driven-protocol.md",
        .credit = &weir_ndp_ops,
        .params = weir_ndp_params,
        .presets = weir_ndp_presets,
        .recommends = weir_ndp_recommends,
        .config_bytes = sizeof(struct weir_ndp_config),
        .style = { 7, 7, 7 },
        .check = weir_ndp_check,
    },
    {
        .name = "homa",
        .hint = "receivers grant the shortest messages of a few senders and choose priorities; 8 levels in the network",
        .source = "Montazeri et al., SIGCOMM 2018; its public simulator, and that of SIRD's evaluation",
        .credit = &weir_homa_ops,
        .params = weir_homa_params,
        .presets = weir_homa_presets,
        .recommends = weir_homa_recommends,
        .config_bytes = sizeof(struct weir_homa_config),
        .style = { 2, 2, 2 },
        .fit = weir_homa_fit,
        .check = weir_homa_check,
    },
    {
        .name = "expresspass",
        .hint = "ExpressPass: a data packet for every credit; credit is sent as fast as switches let it through",
        .source = "Cho et al., SIGCOMM 2017; as in SIRD's evaluation, NSDI 2025",
        .credit = &weir_expresspass_ops,
        .params = weir_expresspass_params,
        .presets = weir_expresspass_presets,
        .recommends = weir_expresspass_recommends,
        .config_bytes = sizeof(struct weir_expresspass_config),
        .style = { 5, 6, 5 },
        .check = weir_expresspass_check,
    },
    { .name = NULL },
};

/* All features of switches, one per line, in the order in which their hooks are called (fabric.order may change it). */
const struct weir_feature *const weir_features[] = {
    &weir_ecn_feature,             //
    &weir_codel_feature,           //
    &weir_rpm_feature,             //
    &weir_deflect_feature,         //
    &weir_buffer_feature,          //
    &weir_priorities_feature,      //
    &weir_lanes_feature,           //
    &weir_credit_gate_feature,     //
    &weir_delay_variation_feature, // before pfc, whose headroom allows for it
    &weir_pfc_feature,             //
    &weir_int_feature,             //
    &weir_fair_rate_feature,       //
    &weir_maxqd_feature,           //
    &weir_phantom_feature,         //
    &weir_rcp_feature,             //
    &weir_wrr_feature,             //
    &weir_failures_feature,        // before cable-events, which makes events of it
    &weir_cables_feature,          // before loss, which its events may change
    &weir_loss_feature,            //
    NULL,
};

struct weir_telemetry_read weir_protocol_telemetry(const struct weir_protocol *protocol, const void *config)
{
    return protocol->telemetry != NULL ? protocol->telemetry(config) : (struct weir_telemetry_read){ .any = true };
}

struct weir_delay_read weir_protocol_delays(const struct weir_protocol *protocol, const void *config)
{
    return protocol->delays != NULL ? protocol->delays(config) : (struct weir_delay_read){ .phantom = false };
}

uint32_t weir_protocol_needs(const struct weir_protocol *protocol)
{
    return protocol->cc != NULL ? protocol->cc->needs : protocol->credit->needs;
}
