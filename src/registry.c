/* src/registry.c - every protocol and switch feature there is. */
#include "registry.h"
#include "fabric/mark.h"
#include "proto/dctcp/dctcp.h"
#include "proto/none/none.h"
#include "proto/sird/sird.h"

const struct weir_protocol weir_protocols[] = {
    {
        .name = "dctcp",
        .hint = "Data Center TCP: cuts the window by the share of packets that switches marked",
        .source = "Alizadeh et al., SIGCOMM 2010; RFC 8257",
        .cc = &weir_dctcp_ops,
        .params = weir_dctcp_params,
        .presets = weir_dctcp_presets,
        .config_bytes = sizeof(struct weir_dctcp_config),
        .check = weir_dctcp_check,
    },
    {
        .name = "none",
        .hint = "no transport: every message is one packet, sent at once and never acknowledged",
        .source = "none; for open-loop loads",
        .cc = &weir_none_ops,
        .params = weir_none_params,
        .config_bytes = sizeof(struct weir_none_config),
    },
    {
        .name = "sird",
        .hint = "Sender-Informed Receiver-Driven: receivers hand out credit, mostly to senders that can use it at once",
        .source = "Prasopoulos et al., NSDI 2025",
        .credit = &weir_sird_ops,
        .params = weir_sird_params,
        .presets = weir_sird_presets,
        .config_bytes = sizeof(struct weir_sird_config),
        .check = weir_sird_check,
    },
    { .name = NULL },
};

const struct weir_feature weir_features[] = {
    {
        .name = "ecn",
        .hint = "marks packets that find a queue of K bytes or more (SIGCOMM 2010, section 3.1)",
        .ops = &weir_mark_ops,
        .keys = "fabric.ecn.threshold, fabric.ecn.where",
    },
    {
        .name = "red",
        .hint = "marks with a probability that rises from kmin to kmax (DCQCN, SIGCOMM 2015)",
        .ops = &weir_mark_ops,
        .keys = "fabric.ecn.kmin, fabric.ecn.kmax, fabric.ecn.pmax",
    },
    {
        .name = "shared-buffer",
        .hint = "the ports of a switch share one memory, with static limits or a dynamic threshold (Choudhury and "
                "Hahne, 1998)",
        .keys = "fabric.buffer, fabric.port_buffer, fabric.alpha",
    },
    {
        .name = "priorities",
        .hint = "strict priority classes in every port; host.data_class and host.ack_class choose one",
        .keys = "fabric.priorities",
    },
    {
        .name = "loss",
        .hint = "loses packets at random on every link, to test recovery",
        .keys = "fabric.loss",
    },
    {
        .name = "cable-events",
        .hint = "cables go down and come up at given times; routes follow after a delay",
        .keys = "fabric.events, fabric.reroute_delay",
    },
    { .name = NULL },
};
