/* src/commands/soft/process.c - see process.h. */
#define _GNU_SOURCE
#include "soft/process.h"
#include "core/assert.h"
#include "core/math.h"
#include "registry.h"
#include "soft/capture.h"
#include "soft/control.h"
#include "soft/home.h"
#include "soft/loop.h"
#include "soft/report.h"
#include "text/clock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NIC_FRAMES = 4096, SPARE_FRAMES = 16384, FRAMES_MAX = 1 << 18 };

struct running {
    const struct weir_setup *setup;
    struct weir_soft *soft;
    struct weir_soft_site *site; /* one per host, as the next three */
    struct weir_soft_port *port;
    int *fd;
    uint64_t *lost; /* frames that the kernel has dropped at a port, as counted so far */
    struct weir_soft_home home;
    struct weir_soft_capture capture;
    struct weir_soft_request last; /* that of the one who stops it; out NULL = none */
    int listener;
    uint64_t start_ns;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

/* ---- ports ---- */

static uint32_t port_rx(void *ctx, struct weir_soft_frame *frame, uint32_t most)
{
    struct weir_raw_frame raw[WEIR_RAW_LENT_MAX];
    uint32_t count = weir_raw_rx(ctx, raw, most < WEIR_RAW_LENT_MAX ? most : WEIR_RAW_LENT_MAX);
    for (uint32_t i = 0; i < count; i++)
        frame[i] = (struct weir_soft_frame){ .bytes = raw[i].bytes, .length = raw[i].length };
    return count;
}

static bool port_tx(void *ctx, const unsigned char *bytes, uint32_t length)
{
    return weir_raw_tx(ctx, bytes, length);
}

static void port_kick(void *ctx)
{
    weir_raw_kick(ctx);
}

/* ---- what it is asked ---- */

/* Adds what kernels have dropped since the last call. */
static void count_lost(struct running *r)
{
    for (uint32_t h = 0; h < r->setup->topo.host_count; h++) {
        const struct weir_raw_stats *stats = weir_raw_stats(r->home.port[h]);
        uint64_t lost = stats->rx_lost + stats->tx_failed;
        WEIR_ASSERT(lost >= r->lost[h]);
        weir_soft_lost(r->soft, h, lost - r->lost[h]);
        r->lost[h] = lost;
    }
}

static void report(struct running *r, FILE *out, bool json)
{
    const struct weir_soft_state state = { .soft = r->soft,
                                           .setup = r->setup,
                                           .site = r->site,
                                           .port = r->home.port,
                                           .seconds_ns = weir_wall_ns() - r->start_ns,
                                           .capture_failed = r->capture.failed };
    WEIR_ASSERT(r->soft != NULL);
    count_lost(r);
    (json ? weir_soft_print_json : weir_soft_print)(out, &state);
}

static void on_control(void *ctx)
{
    struct running *r = ctx;
    struct weir_soft_request request;
    if (!weir_soft_take(r->listener, &request))
        return;
    if (request.verb == WEIR_SOFT_STOP && r->last.out == NULL) {
        r->last = request;
        stop = 1;
        return;
    }
    report(r, request.out, request.verb == WEIR_SOFT_JSON);
    weir_soft_answered(&request);
}

/* ---- set-up ---- */

/* Refuses a host without a cable to a switch, or with several cables. */
static int check_shape(const struct weir_setup *setup, struct weir_err *err)
{
    const struct weir_topology *topo = &setup->topo;
    char name[32];
    for (uint32_t h = 0; h < topo->host_count; h++) {
        weir_topology_node_name(topo, h, name, sizeof(name));
        if (topo->node[h].out_count != 1)
            return weir_fail(err, WEIR_E_CONFLICT, &setup->scn->where_topology, "a host has one port",
                             "topology: %s has %u cables, and a switch of real frames needs one per host", name,
                             topo->node[h].out_count);
        if (topo->link[topo->node[h].first_out].dst < topo->host_count)
            return weir_fail(err, WEIR_E_CONFLICT, &setup->scn->where_topology, NULL,
                             "topology: %s has a cable to a host, and a switch of real frames needs one to a switch",
                             name);
    }
    if (topo->host_count > WEIR_SOFT_HOSTS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &setup->scn->where_topology, NULL,
                         "topology: %u hosts; a switch in user space has at most %u", topo->host_count,
                         WEIR_SOFT_HOSTS_MAX);
    return 0;
}

/* Refuses a feature that no packet of the hosts serves: they may send TCP, and messages of libweir by these laws. */
static int check_features(const struct weir_setup *setup, struct weir_err *err)
{
    struct weir_mapping_traffic traffic = { .tcp = true, .tcp_option = true };
    const struct weir_protocol *protocol = setup->scn->protocol;
    weir_mapping_add_law(&traffic, weir_protocol_needs(protocol), protocol->cc != NULL);
    return weir_mapping_check(&setup->model.features, &traffic, err);
}

static int allocate(struct running *r, struct weir_err *err)
{
    uint32_t hosts = r->setup->topo.host_count;
    r->site = calloc(hosts, sizeof(*r->site));
    r->port = calloc(hosts, sizeof(*r->port));
    r->fd = calloc(hosts, sizeof(*r->fd));
    r->lost = calloc(hosts, sizeof(*r->lost));
    if (r->site == NULL || r->port == NULL || r->fd == NULL || r->lost == NULL)
        return weir_fail_memory(err);
    return 0;
}

static int add_addresses(struct running *r, struct weir_err *err)
{
    int code = 0;
    for (uint32_t h = 0; h < r->setup->topo.host_count && code == 0; h++)
        if (r->site[h].address.version != 0)
            code = weir_soft_address(r->soft, &r->site[h].address, h, err);
    return code;
}

/* Makes the switch between the ports that are open. */
static int make_switch(struct running *r, bool learns, struct weir_err *err)
{
    uint32_t hosts = r->setup->topo.host_count;
    struct weir_soft_config cfg = {
        .setup = r->setup, .port = r->port, .mtu_bytes = r->home.mtu_bytes, .nic_frames = NIC_FRAMES, .learns = learns
    };
    int code;
    WEIR_ASSERT(r->home.ports == hosts);
    cfg.frames = (uint32_t)weir_min_u64((uint64_t)hosts * NIC_FRAMES + SPARE_FRAMES, FRAMES_MAX);
    cfg.pfc_frames = r->setup->scn->deployed_config.pfc_frames != 0;
    cfg.udp_port[0] = (uint16_t)r->setup->scn->deployed_config.udp_port;
    if (r->capture.file != NULL) {
        cfg.capture = weir_soft_capture_frame;
        cfg.capture_ctx = &r->capture;
    }
    for (uint32_t h = 0; h < hosts; h++) {
        r->port[h] = (struct weir_soft_port){ .rx = port_rx, .tx = port_tx, .kick = port_kick, .ctx = r->home.port[h] };
        r->fd[h] = weir_raw_fd(r->home.port[h]);
    }
    code = weir_soft_init(&r->soft, &cfg, err);
    return code != 0 ? code : add_addresses(r, err);
}

static int open_all(struct running *r, const struct weir_soft_process *process, struct weir_err *err)
{
    bool learns;
    int code = check_shape(r->setup, err);
    if (code == 0 && !process->replays)
        code = check_features(r->setup, err);
    if (code == 0)
        code = allocate(r, err);
    if (code == 0)
        code = weir_soft_hosts(r->site, r->setup, true, err);
    if (code != 0)
        return code;
    learns = r->setup->scn->deployed == NULL || r->site[0].address.version == 0;
    r->listener = weir_soft_listen(err);
    if (r->listener < 0)
        return (int)err->code;
    if (process->pcap != NULL)
        code = weir_soft_capture_open(&r->capture, process->pcap, process->snaplen, &r->setup->topo, err);
    if (code == 0)
        code = weir_soft_home_open(&r->home, r->site, r->setup->topo.host_count, err);
    return code != 0 ? code : make_switch(r, learns, err);
}

static void close_all(struct running *r)
{
    weir_soft_free(r->soft);
    weir_soft_home_close(&r->home);
    (void)weir_soft_capture_close(&r->capture);
    if (r->listener >= 0)
        (void)close(r->listener);
    free(r->site);
    free(r->port);
    free(r->fd);
    free(r->lost);
}

/* Forwards until it is stopped, and prints the counts. */
static int forward(struct running *r, FILE *out, struct weir_err *err)
{
    struct weir_soft_loop loop = { .soft = r->soft,
                                   .port_fd = r->fd,
                                   .hosts = r->setup->topo.host_count,
                                   .control_fd = r->listener,
                                   .control = on_control,
                                   .control_ctx = r,
                                   .stop = &stop };
    WEIR_ASSERT(r->soft != NULL && r->listener >= 0);
    r->start_ns = weir_wall_ns();
    int status = weir_soft_loop(&loop);
    report(r, r->last.out != NULL ? r->last.out : out, false);
    return status == 0 ? 0 : weir_fail(err, WEIR_E_RUN, NULL, NULL, "the switch has ended: %s", strerror(-status));
}

int weir_soft_process(const struct weir_soft_process *process, FILE *out, struct weir_err *err)
{
    struct running r = { .setup = process->setup, .listener = -1, .home = { .note = -1 } };
    struct sigaction action = { .sa_handler = on_signal };
    int code;
    stop = 0;
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    code = open_all(&r, process, err);
    if (code == 0) {
        if (process->ready != NULL)
            process->ready(process->ctx);
        code = forward(&r, out, err);
    }
    close_all(&r);
    if (r.last.out != NULL)
        weir_soft_answered(&r.last);
    return code;
}
