/* src/config/names.c - the sections with fixed keys. */
#include "config/names.h"
#include "config/scenario.h"
#include <string.h>

const struct weir_section weir_section_list[] = {
    { "topology", "Hosts, switches and links.", weir_topology_params },
    { "framing",
      "Bytes around a payload. `framing: ns2` is short for `framing: {preset: ns2}`; keys beside a preset change it.",
      weir_framing_params },
    { "host", "The end host under the protocol: connections, acknowledgements, retransmission, the NIC.",
      weir_host_param_rows },
    { "fabric", "What switches do with packets, the same for all of them.", weir_fabric_params },
    { "fabric.ecn", "Marking: one step at `threshold`, or a ramp from `kmin` to `kmax`.", weir_ecn_params },
    { "fabric.int", "Telemetry: a record of each switch port on the way. `int: ack` is short for `int: {mode: ack}`.",
      weir_int_params },
    { "fabric.pfc", "Priority flow control: lossless classes. `pfc: static` is short for `pfc: {kind: static}`.",
      weir_pfc_params },
    { "fabric.maxqd",
      "The longest queueing delay of the path, in data. `maxqd: off` is short for `maxqd: {mode: off}`.",
      weir_maxqd_params },
    { "fabric.queues",
      "How data waits in a port. `queues: per-flow` is short for `queues: {kind: per-flow}`; a flow's weight is "
      "rounded to 1 "
      "to 255 packets per turn.",
      weir_queues_params },
    { "fabric.events", "A list: cables that go down and come up.", weir_event_params },
    { "traffic", "A list: who sends how much to whom, when. At least one item is needed.", weir_traffic_params },
    { "run", "How long, and with which random choices.", weir_run_params },
    { 0 },
};

static bool is_kind(const char *const *kinds, const char *text, size_t length)
{
    while (*kinds != NULL && (strlen(*kinds) != length || strncmp(*kinds, text, length) != 0))
        kinds++;
    return *kinds != NULL;
}

bool weir_section_uses(const struct weir_param *row, const char *const *kinds, const char *kind)
{
    const char *at = row->hint, *colon = strchr(row->hint, ':');
    bool found = false;
    if (colon == NULL || row->choices == kinds)
        return true;
    while (at < colon) {
        size_t length = strcspn(at, ",:");
        if (!is_kind(kinds, at, length))
            return true; /* a sentence with a colon in it, not a list of kinds */
        found = found || (strlen(kind) == length && strncmp(at, kind, length) == 0);
        at += length + strspn(at + length, ", ");
    }
    return found;
}
