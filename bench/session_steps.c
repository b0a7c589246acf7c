/* bench/session_steps.c - a scheduler's steps in one session: in each step 8 groups of 8 hosts do 8 all-reduces one after
 * the other, by call-backs, and the program gives the next step when all is done. bench/session_steps.py runs it beside
 * a process of `weir run` for each step. */
#include "weir/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 64, GROUP = 8, LAYERS = 8, OF_LAYER = 2 * (GROUP - 1), LAST = LAYERS * OF_LAYER - 1, STEPS_MAX = 1000 };

struct work {
    struct weir_sim *sim;
    uint64_t bytes; /* of a segment */
    int code;       /* of the first call that was refused */
};

static void send(struct work *w, uint32_t host, uint64_t number, uint64_t start_ps)
{
    const struct weir_sim_message m = { .size = sizeof(m),
                                        .src = host,
                                        .dst = host / GROUP * GROUP + (host + 1) % GROUP,
                                        .bytes = w->bytes,
                                        .start_ps = start_ps,
                                        .user = number };
    int code = weir_sim_inject(w->sim, &m, NULL);
    if (w->code == 0)
        w->code = code;
}

/* Passes on what has come: the next segment of the ring, or the first of the next all-reduce. */
static void on_event(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    if (event->kind == WEIR_SIM_DELIVERED && event->user < LAST)
        send(ctx, here, event->user + 1, event->at_ps);
}

int main(int argc, char **argv)
{
    static const char text[] =
        "topology: {kind: leaf-spine, hosts: 64, racks: 8, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps, "
        "host_delay: 1 us, core_delay: 1 us}\nprotocol: dctcp\ntraffic: [{kind: session}]\n"
        "run: {warmup: 0 us, measure: all}\n";
    struct work w = { .bytes = (argc > 1 ? strtoul(argv[1], NULL, 10) : 65536) / GROUP };
    unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 8;
    struct weir_sim_opts opts = { .size = sizeof(opts), .events = WEIR_SIM_TIMER, .on_event = on_event, .ctx = &w };
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    struct weir_sim_error error = { 0 };
    uint64_t end_ps;
    if (w.bytes == 0 || steps == 0 || steps > STEPS_MAX) {
        (void)fprintf(stderr, "usage: session_steps [BYTES [STEPS]]; at least 8 bytes, 1 to %d steps\n", STEPS_MAX);
        return 2;
    }
    w.sim = weir_sim_open(text, strlen(text), &opts, &error);
    if (w.sim == NULL) {
        (void)fprintf(stderr, "session_steps: %s\n", error.text);
        return 1;
    }
    for (unsigned long step = 0; step < steps && w.code == 0; step++) {
        uint64_t start_ps = weir_sim_floor(w.sim);
        for (uint32_t h = 0; h < HOSTS; h++)
            send(&w, h, 0, start_ps);
        if (weir_sim_advance(w.sim, WEIR_SIM_NEVER, NULL) != 0)
            w.code = -1;
    }
    if (w.code != 0)
        (void)fprintf(stderr, "session_steps: %s\n", weir_sim_error(w.sim)->text);
    end_ps = weir_sim_floor(w.sim) - weir_sim_reaction(w.sim);
    (void)weir_sim_close(w.sim, &counts, NULL);
    (void)printf("%llu messages, %.3f ms simulated, digest %016llx\n", (unsigned long long)counts.messages_completed,
                 (double)end_ps / 1e9, (unsigned long long)counts.digest);
    return w.code == 0 && counts.messages_completed == steps * HOSTS * (LAST + 1) ? 0 : 1;
}
