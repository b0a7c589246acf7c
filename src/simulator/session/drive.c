/* src/simulator/session/drive.c - see drive.h. */
#include "session/drive.h"
#include "core/math.h"
#include "observe/observe.h"
#include "port/port.h"
#include "session/session.h"
#include "workload/message_id.h"
#include <stdlib.h>

#define STEP_PS                                                                                                        \
    (1000 * WEIR_PS_PER_US) /* between two tests whether all has ended: samples of an idle network take time */

struct weir_sim *weir_drive_open(struct weir_setup *setup, const struct weir_sim_options *options, struct weir_err *err)
{
    struct weir_sim *sim = calloc(1, sizeof(*sim));
    if (sim == NULL) {
        (void)weir_fail_memory(err);
        return NULL;
    }
    WEIR_ASSERT(options->carrier == NULL);
    sim->setup = setup;
    sim->scn = setup->scn;
    sim->run = *options;
    sim->opts = (struct weir_sim_opts){ .size = sizeof(sim->opts),
                                        .threads = options->threads,
                                        /* nobody answers an event, so windows stay as long as they are */
                                        .reaction_ps = UINT64_C(1) << 61 };
    if (session_open_engine(sim, err) == 0)
        return sim;
    session_free(sim);
    return NULL;
}

/* Lets the engine go on. @return 0, or a code with err */
static int go(struct weir_sim *sim, struct weir_err *err)
{
    int code = weir_sim_engine_go(sim->engine, err);
    if (code == 0 && !sim->engine->over) /* all other threads wait */
        weir_sim_report(sim->engine, sim->now_ps);
    if (code == 0 && (sim->engine->over || sim->engine->callback_code != 0))
        code = weir_sim_engine_verdict(sim->engine, err);
    sim->failed = code != 0;
    return code;
}

int weir_drive_until(struct weir_sim *sim, uint64_t until_ps, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(until_ps >= sim->now_ps && until_ps < UINT64_C(1) << 62 && !sim->failed);
    sim->pause.on_note = false;
    while (code == 0 && sim->now_ps < until_ps && !sim->engine->over && !weir_drive_is_done(sim)) {
        sim->pause.at_ps = weir_min_u64(until_ps, sim->now_ps + STEP_PS);
        sim->now_ps = sim->floor_ps = sim->beyond_ps = sim->pause.at_ps;
        code = go(sim, err);
    }
    return code;
}

bool weir_drive_is_over(const struct weir_sim *sim)
{
    return sim->engine->over;
}

bool weir_drive_is_done(const struct weir_sim *sim)
{
    return sim->setup->model.until_done && sim->engine->ids != NULL && session_is_done(sim);
}

enum weir_drive_message weir_drive_message(const struct weir_sim *sim, uint64_t id)
{
    uint32_t host = (uint32_t)weir_message_host(id);
    WEIR_ASSERT(host < sim->setup->topo.host_count);
    if (weir_message_number(id) >= sim->engine->host[host].source.started)
        return WEIR_DRIVE_TO_COME;
    return session_find_message(sim, host, id) == UINT32_MAX ? WEIR_DRIVE_ENDED : WEIR_DRIVE_OPEN;
}

enum weir_drive_message weir_drive_job_flow(const struct weir_sim *sim, uint32_t flow, uint64_t *id)
{
    const struct weir_account *acc = &sim->engine->account;
    const struct weir_workload *wl = &sim->setup->workload;
    const struct weir_account_flow *at;
    WEIR_ASSERT(wl->jobs != NULL && flow < wl->jobs->flow_count);
    at = &acc->flow[wl->tag_count - wl->jobs->flow_count + flow];
    if (at->state != 1)
        return at->state == 0 ? WEIR_DRIVE_TO_COME : WEIR_DRIVE_ENDED;
    *id = weir_account_msg(&acc->host[at->src], at->handle)->id;
    return WEIR_DRIVE_OPEN;
}

int weir_drive_weight(struct weir_sim *sim, uint64_t id, uint64_t weight_q20, struct weir_err *err)
{
    const struct weir_inbox_row change = { .user = id,
                                           .dst = WEIR_INBOX_TIMER,
                                           .item = WEIR_INBOX_NO_ITEM,
                                           .is_change = true,
                                           .is_listed = true,
                                           .weight_q20 = weight_q20 };
    WEIR_ASSERT(sim->setup->workload.weighted && weight_q20 > 0);
    if (sim->engine->over)
        return 0;
    return session_put_row(sim, (uint32_t)weir_message_host(id), sim->now_ps, &change, NULL) == 0
               ? 0
               : weir_fail_memory(err);
}

/* ---- what there is to see ---- */

struct weir_drive_port weir_drive_port(const struct weir_sim *sim, uint32_t number)
{
    const struct sim_engine *e = sim->engine;
    const struct sim_link *link = &e->link[number];
    struct weir_drive_port port = { .queue_bytes = sim_queue_bytes(link, weir_sim_port_backlog_ps(link, sim->now_ps)),
                                    .marks = link->marks,
                                    .lost = link->drops + link->unrouted + link->losses,
                                    .is_paused = link->control != NULL && link->control->closed != 0,
                                    .is_down = e->changed != NULL && !e->changed[number].up };
    WEIR_ASSERT(port.queue_bytes <= link->bytes);
    port.left_bytes = link->bytes - port.queue_bytes;
    return port;
}

uint32_t weir_drive_list(const struct weir_sim *sim, uint32_t first, struct weir_drive_open *out, uint32_t most)
{
    uint32_t hosts = sim->setup->topo.host_count, count = 0;
    WEIR_ASSERT(first < hosts);
    for (uint32_t h = 0; h < hosts && count < most; h++) {
        const struct weir_account_host *from = &sim->engine->account.host[(first + h) % hosts];
        for (uint32_t i = 0; i < from->used && count < most; i++) {
            const struct weir_account_msg *m = weir_account_msg(from, i);
            if (m->in_use == 1 && m->end_ps == WEIR_NEVER)
                out[count++] =
                    (struct weir_drive_open){ .id = m->id, .bytes = m->bytes, .start_ps = m->start_ps, .dst = m->dst };
        }
    }
    return count;
}

bool weir_drive_law(const struct weir_sim *sim, uint64_t id, struct weir_host_flow *out)
{
    uint32_t host = (uint32_t)weir_message_host(id), handle;
    WEIR_ASSERT(host < sim->setup->topo.host_count);
    handle = session_find_message(sim, host, id);
    return handle != UINT32_MAX && weir_host_flow(sim->engine->host[host].h, handle, out);
}

/* ---- the end ---- */

int weir_drive_finish(struct weir_sim *sim, struct weir_result *result, struct weir_err *err)
{
    struct sim_engine *e = sim->engine;
    int code = 0;
    WEIR_ASSERT(!sim->failed);
    e->pause = NULL; /* it ends as a run that nobody drives */
    if (!e->over)
        code = weir_sim_engine_go(e, err);
    if (code == 0) {
        weir_sim_finish(e, result);
        code = weir_sim_engine_verdict(e, err);
    }
    sim->failed = code != 0;
    return code;
}

void weir_drive_close(struct weir_sim *sim)
{
    if (sim == NULL)
        return;
    session_leave(sim->engine);
    session_free(sim);
}
