/* src/commands/testbed/rpm_sim.c - simulates what rpm_run.c measures: the same topology, rates, delays, buffer,
 * features and laws. The scenario is experiments/rpm-testbed/fairness.yaml. */
#include "core/feature_counter.h"
#include "model/account.h"
#include "testbed/rpm.h"
#include "testbed/sim.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LISTS = 2, WATCH_MS = 100 };

static void list_path(const struct weir_testbed_scenario *s, uint32_t list, char path[WEIR_SWEEP_DIR_MAX + 16])
{
    (void)snprintf(path, WEIR_SWEEP_DIR_MAX + 16, "%s/flows-%u.csv", s->dir.path, (unsigned)list);
}

/* Writes a list of flows: of every second pair of a case, from pair `list` on. */
static int write_list(struct weir_testbed_scenario *s, const struct weir_rpm_case *c, uint32_t list,
                      struct weir_err *err)
{
    char path[WEIR_SWEEP_DIR_MAX + 16];
    FILE *file;
    list_path(s, list, path);
    file = fopen(path, "w");
    if (file == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: %s", path, strerror(errno));
    (void)fputs("src,dst,bytes,start\n", file);
    for (uint32_t i = list; i < c->pairs; i += LISTS)
        (void)fprintf(file, "%u,%u,1 TB,0\n", (unsigned)weir_rpm_pair(c, i),
                      (unsigned)(WEIR_RPM_PAIRS + weir_rpm_pair(c, i)));
    weir_testbed_scenario_set(s, "traffic[%u].file=flows-%u.csv", (unsigned)list, (unsigned)list);
    return fclose(file) == 0 ? 0 : weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: %s", path, strerror(errno));
}

static void set_scheme(struct weir_testbed_scenario *s, enum weir_rpm_scheme scheme)
{
    weir_testbed_scenario_set(s, "fabric.rpm.mode=%s", scheme == WEIR_RPM_FORWARD ? "off" : "on");
    if (scheme == WEIR_RPM_PORT)
        weir_testbed_scenario_set(s, "fabric.rpm.cells=port");
}

/* Sets the law of a list. DCTCP has other defaults for its hosts than Linux. */
static void set_law(struct weir_testbed_scenario *s, uint32_t list, bool dctcp)
{
    static const char *const linux_host[] = { "ack_every=2", "ack_delay=40 ms", "rto_min=200 ms", "rto_init=1 s",
                                              "rto_max=60 s" };
    if (!dctcp)
        return;
    weir_testbed_scenario_set(s, "traffic[%u].protocol.name=dctcp", (unsigned)list);
    weir_testbed_scenario_set(s, "traffic[%u].protocol.restart=true", (unsigned)list);
    for (size_t i = 0; i < sizeof(linux_host) / sizeof(linux_host[0]); i++)
        weir_testbed_scenario_set(s, "traffic[%u].host.%s", (unsigned)list, linux_host[i]);
}

static void close_scenario(struct weir_testbed_scenario *s)
{
    char path[WEIR_SWEEP_DIR_MAX + 16];
    for (uint32_t i = 0; i < LISTS; i++) {
        list_path(s, i, path);
        (void)unlink(path);
    }
    weir_testbed_scenario_close(s);
}

/* Writes the files, and sets what all scenarios have. */
static int open_scenario(struct weir_testbed_scenario *s, struct weir_figs *figs, const struct weir_rpm_case *c,
                         struct weir_err *err)
{
    int code = weir_testbed_scenario_open(s, "rpm-testbed", figs->arena, err);
    if (code != 0)
        return code;
    weir_testbed_scenario_set(s, "topology.file=delays-%u.yaml", (unsigned)c->experiment);
    weir_testbed_scenario_set(s, "fabric.port_buffer=%llu B", (unsigned long long)c->buffer_bytes);
    set_scheme(s, c->scheme);
    for (uint32_t i = 0; i < LISTS && i < c->pairs && code == 0; i++)
        code = write_list(s, c, i, err);
    if (code != 0)
        close_scenario(s);
    return code;
}

/* Ends the run after a signal. */
static int watch(void *ctx, const struct weir_snapshot *snapshot)
{
    (void)snapshot;
    return weir_sweep_dir_signal(ctx) != 0 ? WEIR_E_RUN : 0;
}

/* Returns the link from the left switch, the first node after the hosts, to the right one, the second. */
static uint32_t bottleneck(const struct weir_topology *topo)
{
    uint32_t link = 0;
    while (topo->link[link].src != topo->host_count || topo->link[link].dst != topo->host_count + 1)
        link++;
    return link;
}

static double queue_ms(double bytes)
{
    return bytes * 8 * 1000 / (double)WEIR_RPM_BPS;
}

static double count_of(const struct weir_result *result, const char *feature, const char *name)
{
    for (uint32_t i = 0; i < result->feature_counts; i++)
        if (strcmp(result->feature_count[i].feature, feature) == 0 &&
            strcmp(result->feature_count[i].counter->name, name) == 0)
            return (double)result->feature_count[i].value;
    return 0;
}

static void read_result(const struct weir_testbed_sim *sim, const struct weir_rpm_case *c, double *value)
{
    const struct weir_result *r = &sim->result;
    const struct weir_port_count *port = &r->link[bottleneck(&sim->setup.topo)];
    double mbps_per_byte = 8 / ((double)r->measured_ps / (double)WEIR_PS_PER_US);
    value[WEIR_RPM_JAIN] = (double)r->jain_ppm / 1e6;
    value[WEIR_RPM_GOODPUT] = (double)r->arrived_bytes * mbps_per_byte;
    value[WEIR_RPM_DCTCP_PART] = c->law == WEIR_RPM_DCTCP  ? value[WEIR_RPM_GOODPUT]
                                 : c->law == WEIR_RPM_BOTH ? (double)r->law[1].arrived_bytes * mbps_per_byte
                                                           : 0;
    value[WEIR_RPM_QUEUE_MEAN] =
        queue_ms((double)weir_account_mean_millibytes(port, r->measured_ps, WEIR_RPM_BPS) / 1000);
    value[WEIR_RPM_QUEUE_MAX] = queue_ms((double)r->port_queue.max_bytes);
    value[WEIR_RPM_DROPS] = (double)r->drops;
    value[WEIR_RPM_EVENTS] = count_of(r, "codel", "marks");
}

int weir_rpm_simulate(struct weir_figs *figs, const struct weir_rpm_case *c, double *value, struct weir_err *err)
{
    struct weir_testbed_scenario s;
    struct weir_testbed_sim *sim;
    int code = open_scenario(&s, figs, c, err);
    if (code != 0)
        return code;
    weir_testbed_scenario_set(&s, "run.warmup=%u s", (unsigned)c->warm_s);
    weir_testbed_scenario_set(&s, "run.measure=%u s", (unsigned)c->seconds);
    weir_testbed_scenario_set(&s, "run.seed=%u", (unsigned)c->seed);
    for (uint32_t i = 0; i < LISTS; i++)
        set_law(&s, i, weir_rpm_is_dctcp(c, i));
    sim = weir_testbed_scenario_load(&s, "fairness.yaml", err);
    code = sim == NULL ? (int)err->code : 0;
    if (code == 0) {
        const struct weir_sim_options options = { .threads = 1,
                                                  .snapshot_ps = WATCH_MS * WEIR_PS_PER_MS,
                                                  .snapshot = watch,
                                                  .snapshot_ctx = &s.dir,
                                                  .links = true };
        code = weir_testbed_sim_run(sim, &options, err);
    }
    if (sim != NULL && code == 0)
        read_result(sim, c, value);
    weir_testbed_sim_close(sim);
    close_scenario(&s);
    return code;
}

/* --- reaction --- */

struct tapped {
    uint32_t out, back;         /* links: of the bottleneck, and to the sender */
    uint64_t marked_ps, ece_ps; /* the first packet with CE, and the first ACK with ECE; 0 = none yet */
};

static int take_packets(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct tapped *t = ctx;
    for (size_t i = 0; i < count; i++) {
        if (row[i].link == t->out && row[i].event == WEIR_PACKET_SENT && (row[i].pkt.flags & WEIR_PKT_CE) != 0 &&
            t->marked_ps == 0)
            t->marked_ps = row[i].at_ps;
        if (row[i].link == t->back && row[i].event == WEIR_PACKET_RECEIVED && row[i].pkt.kind == WEIR_PKT_ACK &&
            (row[i].pkt.flags & WEIR_PKT_ECE) != 0 && t->ece_ps == 0)
            t->ece_ps = row[i].at_ps;
    }
    return 0;
}

/* Runs one flow to a receiver that is so far behind the right switch. */
static int run_tapped(struct weir_figs *figs, uint32_t receiver_ms, enum weir_rpm_scheme scheme, struct tapped *t,
                      struct weir_err *err)
{
    const struct weir_rpm_case c = {
        .experiment = 2, .scheme = scheme, .buffer_bytes = WEIR_RPM_BUFFER_BYTES, .pairs = 1, .receiver_ms = receiver_ms
    };
    uint8_t tap[2 * (2 * WEIR_RPM_PAIRS + 1)] = { 0 };
    struct weir_sim_options options = { .threads = 1, .packets = take_packets, .packets_ctx = t, .tap = tap };
    struct weir_testbed_scenario s;
    struct weir_testbed_sim *sim;
    int code = open_scenario(&s, figs, &c, err);
    if (code != 0)
        return code;
    sim = weir_testbed_scenario_load(&s, "reaction.yaml", err);
    code = sim == NULL ? (int)err->code : 0;
    if (sim != NULL) {
        const struct weir_topology *topo = &sim->setup.topo;
        WEIR_ASSERT(topo->link_count == sizeof(tap));
        *t = (struct tapped){ .out = bottleneck(topo), .back = weir_topology_link_to(topo, weir_rpm_pair(&c, 0)) };
        tap[t->out] = WEIR_TAP_SENT;
        tap[t->back] = WEIR_TAP_ARRIVED;
        code = weir_testbed_sim_run(sim, &options, err);
    }
    weir_testbed_sim_close(sim);
    close_scenario(&s);
    return code;
}

int weir_rpm_simulate_reaction(struct weir_figs *figs, uint32_t receiver_ms, enum weir_rpm_scheme scheme,
                               double *reaction_ms, struct weir_err *err)
{
    struct tapped forward = { 0 }, own = { 0 };
    int code = run_tapped(figs, receiver_ms, WEIR_RPM_FORWARD, &forward, err);
    own = forward;
    if (code == 0 && scheme != WEIR_RPM_FORWARD) /* up to the first event, which no packet shows, both are one run */
        code = run_tapped(figs, receiver_ms, scheme, &own, err);
    if (code == 0 && (forward.marked_ps == 0 || own.ece_ps < forward.marked_ps))
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "the simulation of the reaction saw no congestion");
    if (code == 0)
        *reaction_ms = (double)(own.ece_ps - forward.marked_ps) / (double)WEIR_PS_PER_MS;
    return code;
}
