/* src/simulator/engine/skip_why.c - why the state of a run cannot repeat, or cannot be given. Each reason is the end of
 * a sentence, and depends on what is set up alone. */
#include "core/feature.h"
#include "engine/skip.h"
#include "port/port.h"

/* Returns what sets a port apart from a plain one. */
static const char *why_port(const struct sim_link *link)
{
    struct sim_port_kind k = link->kind;
    if (k.start)
        return "switches or links draw what they do with each packet, or write into packets (loss, delays, records)";
    if (k.join)
        return "marks are drawn: between two thresholds of fabric.ecn";
    if (k.dequeue)
        return "queue management at the head of a queue gives no state (fabric.codel)";
    if (k.gate)
        return "the credit gate gives no state";
    if (k.memory)
        return "limited memory of switches gives no state (fabric.buffer)";
    if (k.fraction)
        return "links of a fractional time per byte give no state";
    if (k.cable)
        return "cables that change give no state (fabric.events)";
    if (k.serve == SIM_SERVE_LANES || k.serve == SIM_SERVE_QUEUE)
        return "ports with several classes give no state (fabric.priorities)";
    return "ports that depend on each other give no state (coupled switch features)";
}

/* Tests whether a port only serves and marks packets, besides hooks on_start of features that give their state. */
static bool gives_state(const struct sim_link *link)
{
    struct sim_port_kind k = link->kind;
    k.start = false;
    if (!sim_kind_is_plain(k) || (k.serve != SIM_SERVE_FIFO && k.serve != SIM_SERVE_PULL))
        return false;
    if (link->port == NULL)
        return true;
    for (uint32_t i = 0; i < link->port->chain.state_count; i++)
        if (link->port->chain.state[i].row->on_start != NULL && link->port->chain.state[i].row->state == NULL)
            return false;
    return link->kind.start;
}

/* Returns why some port gives no state; NULL = all do. */
static const char *why_ports(const struct sim_engine *e)
{
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        const struct sim_link *link = &e->link[i];
        if (!gives_state(link))
            return why_port(link);
    }
    return NULL;
}

/* Returns the same of the run as a whole. */
static const char *why_run(const struct sim_engine *e)
{
    const struct weir_model *m = e->model;
    if (e->ranks != NULL)
        return "several processes simulate together (--ranks)";
    if (m->workload->session)
        return "another program drives the run";
    if (m->sample_average)
        return "means between samples give no state (run.sample_average)";
    if (m->nics != NULL)
        return "hosts with several NICs give no state";
    if (m->host.law != NULL)
        return "hosts with several laws give no state";
    if (m->restart_count > 0)
        return "hosts that restart give no state";
    return m->host.hash == WEIR_HASH_PACKET ? "the path of each packet is drawn (fabric.routing: spray)" : NULL;
}

const char *weir_sim_skip_why(const struct sim_engine *e)
{
    const char *why = why_run(e);
    if (why == NULL)
        why = weir_host_state_why(e->host[0].h);
    return why != NULL ? why : why_ports(e);
}
