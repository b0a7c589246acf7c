/* src/commands/soft/process.c - see process.h. */
#define _GNU_SOURCE /* SCHED_FIFO, CPU_COUNT */
#include "soft/process.h"
#include "core/assert.h"
#include "config/tree.h"
#include "registry.h"
#include "soft/capture.h"
#include "soft/hosts.h"
#include "soft/note.h"
#include "soft/report.h"
#include "text/background.h"
#include "text/stop.h"
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME "weir-switch"
enum {
    FRAMES = 65536,    /* in the switch, NICs included */
    NIC_FRAMES = 4096, /* of them in the NIC of a host */
    MTU = 1500,
};

struct process {
    const struct weir_soft_plan *plan;
    uint32_t hosts;
    int listener;
    bool made_hosts, captures;
    struct weir_soft_note note;
    struct weir_soft *soft;
    struct weir_soft_loop loop;
    struct weir_soft_capture capture;
    struct weir_soft_port *port; /* these five: one per host */
    struct weir_raw **raw;
    int *fd;
    const char **device;
    uint64_t *lost; /* frames that the kernel had dropped when it was asked last */
    char (*made)[WEIR_SOFT_DEVICE];
};

/* ---- ports ---- */

static uint32_t rx(void *ctx, struct weir_soft_frame *frame, uint32_t most)
{
    struct weir_raw_frame got[64];
    uint32_t count = weir_raw_rx(ctx, got, most < 64 ? most : 64);
    for (uint32_t i = 0; i < count; i++)
        frame[i] = (struct weir_soft_frame){ .bytes = got[i].bytes, .length = got[i].length };
    return count;
}

static bool tx(void *ctx, const unsigned char *bytes, uint32_t length)
{
    return weir_raw_tx(ctx, bytes, length);
}

static void kick(void *ctx)
{
    weir_raw_kick(ctx);
}

static int open_port(struct process *p, uint32_t host, struct weir_err *err)
{
    struct weir_raw_options options = { .kind = p->plan->kind };
    struct weir_raw_device found;
    int code;
    WEIR_ASSERT(host < p->hosts);
    for (uint32_t k = 0; k < host; k++)
        if (strcmp(p->device[k], p->device[host]) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, &p->plan->setup->scn->deployed->at, NULL,
                             "switch.ports: %s is given twice", p->device[host]);
    if ((code = weir_raw_device_read(&found, p->device[host], err)) != 0)
        return code;
    if (found.mtu_bytes != MTU)
        return weir_fail(err, WEIR_E_CONFLICT, &p->plan->setup->scn->where_topology, "ip link set DEVICE mtu 1500",
                         "%s has an MTU of %u bytes; frames of a switch have 1500", found.name, found.mtu_bytes);
    if ((code = weir_soft_note_device(&p->note, &found, err)) != 0)
        return code;
    if ((code = weir_raw_open(&p->raw[host], &found, &options, err)) != 0)
        return code;
    p->fd[host] = weir_raw_fd(p->raw[host]);
    p->port[host] = (struct weir_soft_port){ .rx = rx, .tx = tx, .kick = kick, .ctx = p->raw[host] };
    return 0;
}

static int open_ports(struct process *p, struct weir_err *err)
{
    int code = weir_soft_note_open(&p->note, err);
    if (code == 0 && p->plan->at == NULL) {
        code = weir_soft_hosts_make(p->hosts, p->made, err);
        p->made_hosts = code == 0;
    }
    for (uint32_t h = 0; h < p->hosts && code == 0; h++) {
        p->device[h] = p->plan->at != NULL ? p->plan->at[h].device : p->made[h];
        code = open_port(p, h, err);
    }
    return code;
}

/* ---- the switch ---- */

static struct weir_mapping_address made_address(uint32_t host)
{
    uint32_t a = weir_soft_host_address(host);
    return (struct weir_mapping_address){
        .bytes = { (uint8_t)(a >> 24), (uint8_t)(a >> 16), (uint8_t)(a >> 8), (uint8_t)a }, .version = 4
    };
}

static int add_addresses(struct process *p, struct weir_err *err)
{
    int code = 0;
    for (uint32_t h = 0; h < p->hosts && code == 0; h++) {
        struct weir_mapping_address address = p->plan->at != NULL ? p->plan->at[h].address : made_address(h);
        if (address.version != 0)
            code = weir_soft_address(p->soft, &address, h, err);
    }
    return code;
}

static int open_switch(struct process *p, struct weir_err *err)
{
    struct weir_soft_config cfg = { .setup = p->plan->setup,
                                    .port = p->port,
                                    .mtu_bytes = MTU,
                                    .frames = FRAMES,
                                    .nic_frames = NIC_FRAMES,
                                    .udp_port = { p->plan->udp_port },
                                    .learns = p->plan->at != NULL && p->plan->at[0].address.version == 0,
                                    .capture_ctx = &p->capture };
    int code = 0;
    if (p->plan->capture != NULL) {
        code = weir_soft_capture_open(&p->capture, p->plan->capture, p->plan->setup, err);
        p->captures = code == 0;
        cfg.capture = weir_soft_capture_frame;
    }
    if (code == 0)
        code = weir_soft_init(&p->soft, &cfg, err);
    return code != 0 ? code : add_addresses(p, err);
}

/* ---- answers ---- */

/* Adds what the kernel has dropped at full rings since it was asked last. */
static void read_lost(struct process *p)
{
    for (uint32_t h = 0; h < p->hosts; h++) {
        uint64_t lost = weir_raw_stats(p->raw[h])->rx_lost;
        weir_soft_lost(p->soft, h, lost - p->lost[h]);
        p->lost[h] = lost;
    }
}

static struct weir_soft_report report_of(struct process *p)
{
    read_lost(p);
    return (struct weir_soft_report){ .soft = p->soft,
                                      .setup = p->plan->setup,
                                      .loop = &p->loop,
                                      .device = p->device,
                                      .port_kind = weir_raw_kinds[weir_raw_kind(p->raw[0])],
                                      .now_ps = weir_soft_now_ps(p->soft) };
}

static void write_json(FILE *out, void *ctx)
{
    struct weir_soft_report report = report_of(ctx);
    weir_soft_json(out, &report);
}

static void write_table(FILE *out, void *ctx)
{
    struct weir_soft_report report = report_of(ctx);
    weir_soft_table(out, &report);
}

static void answer(void *ctx)
{
    struct process *p = ctx;
    weir_background_answer(p->listener, write_json, write_table, p);
}

/* ---- life ---- */

static int take_memory(struct process *p, struct weir_err *err)
{
    p->port = calloc(p->hosts, sizeof(*p->port));
    p->raw = calloc(p->hosts, sizeof(*p->raw));
    p->fd = calloc(p->hosts, sizeof(*p->fd));
    p->device = calloc(p->hosts, sizeof(*p->device));
    p->lost = calloc(p->hosts, sizeof(*p->lost));
    p->made = calloc(p->hosts, sizeof(*p->made));
    if (p->port == NULL || p->raw == NULL || p->fd == NULL || p->device == NULL || p->lost == NULL || p->made == NULL)
        return weir_fail_memory(err);
    return 0;
}

static int listen_here(struct process *p, struct weir_err *err)
{
    p->listener = weir_background_listen(NAME);
    if (p->listener == -EADDRINUSE)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir switch stop ends it",
                         "switch: one runs in this network namespace");
    if (p->listener < 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "switch: no socket: %s", strerror(-p->listener));
    return 0;
}

/* Refuses a feature that no packet of the hosts serves: they may send TCP, and messages of libweir by this law. */
static int check_features(const struct weir_setup *setup, struct weir_err *err)
{
    struct weir_mapping_traffic traffic = { .tcp = true, .tcp_option = true };
    const struct weir_protocol *protocol = setup->scn->protocol;
    weir_mapping_add_law(&traffic, weir_protocol_needs(protocol), protocol->cc != NULL);
    return weir_mapping_check(&setup->model.features, &traffic, err);
}

static int open_all(struct process *p, struct weir_err *err)
{
    int code;
    if (p->hosts > WEIR_SOFT_HOSTS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &p->plan->setup->scn->where_topology, NULL,
                         "topology: %u hosts; a switch in user space has at most %u", p->hosts, WEIR_SOFT_HOSTS_MAX);
    code = check_features(p->plan->setup, err);
    if (code == 0)
        code = take_memory(p, err);
    if (code == 0)
        code = listen_here(p, err);
    if (code == 0)
        code = open_ports(p, err);
    if (code == 0)
        code = open_switch(p, err);
    p->loop = (struct weir_soft_loop){ .soft = p->soft,
                                       .port_fd = p->fd,
                                       .hosts = p->hosts,
                                       .control_fd = p->listener,
                                       .control = answer,
                                       .control_ctx = p,
                                       .stop = weir_stop_flag() };
    return code;
}

static void close_all(struct process *p)
{
    for (uint32_t h = 0; p->raw != NULL && h < p->hosts; h++)
        weir_raw_close(p->raw[h]);
    weir_soft_note_close(&p->note);
    if (p->made_hosts)
        (void)weir_soft_hosts_remove();
    if (p->captures)
        (void)weir_soft_capture_close(&p->capture);
    if (p->listener >= 0)
        (void)close(p->listener);
    weir_soft_free(p->soft);
    free(p->port);
    free(p->raw);
    free(p->fd);
    free(p->device);
    free(p->lost);
    free(p->made);
}

/* Runs until a signal. Where another processor is left for all else, it has this one whenever it wants: frames are late
 * by the time for which it does not run. */
static int run(struct process *p, struct weir_err *err)
{
    struct sched_param first = { .sched_priority = 1 };
    cpu_set_t cpus;
    int code;
    if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) > 1)
        (void)sched_setscheduler(0, SCHED_FIFO, &first);
    code = weir_soft_loop(&p->loop);
    return code == 0 ? 0 : weir_fail(err, WEIR_E_RUN, NULL, NULL, "switch: %s", strerror(-code));
}

/* Opens all, in the process that is to be in the background; says how that went, and goes on. */
static _Noreturn void be(struct process *p, int said)
{
    struct weir_err err = { .code = WEIR_E_OK };
    (void)open_all(p, &err);
    (void)!write(said, &err, sizeof(err));
    (void)close(said);
    if (err.code == WEIR_E_OK) {
        weir_background_leave();
        (void)run(p, &err);
    }
    close_all(p);
    _exit(0);
}

/* Starts the process in the background, and waits until it forwards. */
static int start_background(struct process *p, int *process, struct weir_err *err)
{
    int pipes[2];
    pid_t child;
    weir_background_begin();
    if (pipe(pipes) != 0 || (child = fork()) < 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "switch: no process: %s", strerror(errno));
    if (child == 0) {
        (void)close(pipes[0]);
        be(p, pipes[1]);
    }
    (void)close(pipes[1]);
    if (read(pipes[0], err, sizeof(*err)) != (ssize_t)sizeof(*err))
        (void)weir_fail(err, WEIR_E_RUN, NULL, "weir switch clean removes what it has left",
                        "switch: it has ended early");
    (void)close(pipes[0]);
    if (err->code != WEIR_E_OK)
        (void)waitpid(child, NULL, 0);
    *process = (int)child;
    return (int)err->code;
}

int weir_soft_start(const struct weir_soft_plan *plan, int *process, struct weir_err *err)
{
    struct process p = { .plan = plan, .hosts = plan->setup->topo.host_count, .listener = -1, .note.file = -1 };
    int code;
    *process = 0;
    weir_stop_install();
    if (!plan->foreground)
        return start_background(&p, process, err);
    code = open_all(&p, err);
    if (code == 0) {
        (void)printf("a switch of %u hosts runs in process %d\n", p.hosts, (int)getpid());
        (void)fflush(stdout);
        code = run(&p, err);
    }
    if (p.soft != NULL && code == 0)
        write_table(stdout, &p);
    close_all(&p);
    return code;
}

int weir_soft_ask(bool json, FILE *out, int *process, struct weir_err *err)
{
    return weir_background_ask(NAME, json, out, process)
               ? 0
               : weir_fail(err, WEIR_E_UNKNOWN, NULL, "weir switch start FILE --engine user",
                           "switch: none runs in this network namespace");
}

bool weir_soft_runs(void)
{
    FILE *nowhere = fopen("/dev/null", "w");
    int process;
    bool runs = nowhere != NULL && weir_background_ask(NAME, false, nowhere, &process);
    if (nowhere != NULL)
        (void)fclose(nowhere);
    return runs;
}

uint32_t weir_soft_clean(void)
{
    FILE *nowhere = fopen("/dev/null", "w");
    uint32_t count = 0;
    int process;
    if (nowhere != NULL && weir_background_ask(NAME, false, nowhere, &process)) {
        weir_background_end(process);
        count++;
    }
    if (nowhere != NULL)
        (void)fclose(nowhere);
    count += weir_soft_note_undo();
    return count + weir_soft_hosts_remove();
}
