/* src/simulator/session/save.c - saves sessions and restores them: the calls are executed again, and must then have the
 * same digest. */
#include "session/play.h"
#include "session/session.h"
#include "core/math.h"
#include "core/rng.h"
#include "text/build.h"
#include "text/outfile.h"
#include <inttypes.h>
#include <string.h>

/* ---- the digest of an instant ---- */

/* Lets all hosts go on to the floor. They then stand at one instant, for any number of threads. @return 0, or a code */
static int settle(struct weir_sim *sim)
{
    if (sim->failed)
        return WEIR_SIM_E_RUN;
    sim->beyond_ps = weir_max_u64(sim->beyond_ps, sim->floor_ps);
    return sim->engine->over ? 0 : session_go(sim, sim->floor_ps, false);
}

static uint64_t mix(uint64_t digest, uint64_t value)
{
    return weir_mix_u64(digest ^ value) + UINT64_C(0x9e3779b97f4a7c15);
}

/* Adds what is on its way from a host: what its law has let go, and when it will go on. */
static uint64_t mix_pending(uint64_t digest, const struct weir_host *h)
{
    struct weir_host_pending p;
    for (uint64_t cursor = 0; weir_host_next_pending(h, &cursor, &p);) {
        digest = mix(mix(mix(digest, p.dst), p.unacked_pkts), p.left_pkts);
        digest = mix(mix(mix(mix(digest, p.timeouts), p.deadline_ps), p.cwnd_bytes), p.rate_bps);
    }
    return mix(digest, weir_host_next_ps(h));
}

/* Adds the counters of a host, which change with every packet that it sends or gets. */
static uint64_t mix_stats(uint64_t digest, const struct weir_host_stats *s)
{
    const uint64_t count[] = { s->tx_data_pkts, s->tx_ack_pkts,    s->rx_data_pkts,    s->rx_ack_pkts,
                               s->rx_new_bytes, s->tx_acked_bytes, s->duplicates,      s->timeouts,
                               s->marked_pkts,  s->tx_notice_pkts, s->retransmissions, s->rx_notice_pkts };
    for (size_t i = 0; i < sizeof(count) / sizeof(count[0]); i++)
        digest = mix(digest, count[i]);
    return digest;
}

/* Leaves switches out: after an event some may have gone on beyond the floor, which depends on threads. What they do is
 * seen at hosts. */
int session_digest(struct weir_sim *sim, uint64_t *digest)
{
    int code = settle(sim);
    struct weir_sim_counts c = { .size = sizeof(c) };
    uint64_t d;
    if (code == 0)
        code = weir_sim_counts(sim, &c);
    if (code != 0)
        return code;
    WEIR_ASSERT(c.messages_delivered <= c.messages_started);
    d = mix(mix(mix(c.digest, c.messages_started), c.messages_delivered), c.messages_completed);
    d = mix(mix(mix(mix(d, c.bytes_started), c.bytes_delivered), sim->now_ps), sim->floor_ps);
    for (uint32_t h = 0; h < sim->setup->topo.host_count; h++) {
        d = mix_stats(d, weir_host_stats(sim->engine->host[h].h));
        d = mix_pending(d, sim->engine->host[h].h);
    }
    *digest = d;
    return 0;
}

/* ---- saving ---- */

static void write_open(const struct weir_sim *sim, FILE *out)
{
    const char *events[4];
    struct weir_session_args args = {
        .given = WEIR_SESSION_BIT(FORMAT) | WEIR_SESSION_BIT(WEIR) | WEIR_SESSION_BIT(SCENARIO) |
                 WEIR_SESSION_BIT(NAME) | WEIR_SESSION_BIT(EVENTS) | WEIR_SESSION_BIT(REACTION),
        .format = WEIR_SESSION_FORMAT_NUMBER,
        .weir = weir_build_version(),
        .scenario = sim->record->scenario,
        .name = sim->record->name,
        .set = (const char *const *)sim->record->set,
        .events = events,
        .reaction_ps = sim->opts.reaction_ps,
        .call_backs = true,
    };
    uint32_t count = 0;
    for (uint32_t kind = WEIR_SIM_DELIVERED; kind <= WEIR_SIM_TIMER; kind <<= 1)
        if ((sim->opts.events & kind) != 0)
            events[count++] = weir_session_event_name(kind);
    events[count] = NULL;
    args.given |= args.set[0] != NULL ? WEIR_SESSION_BIT(SET) : 0;
    args.given |= sim->opts.on_event != NULL ? WEIR_SESSION_BIT(CALL_BACKS) : 0;
    weir_session_line_write(out, &weir_session_rows[WEIR_SESSION_OPEN], &args);
}

static void write_expect(uint64_t digest, FILE *out)
{
    char text[17];
    const struct weir_session_args args = { .given = WEIR_SESSION_BIT(DIGEST), .digest = text };
    (void)snprintf(text, sizeof(text), "%016" PRIx64, digest);
    weir_session_line_write(out, &weir_session_rows[WEIR_SESSION_EXPECT], &args);
}

int weir_sim_save(struct weir_sim *sim, const char *file)
{
    struct weir_outfile out = { 0 };
    struct weir_err err = { 0 };
    uint64_t digest = 0;
    int code;
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot save its session");
    if (sim->record == NULL)
        return session_fail(sim, WEIR_SIM_E_CALL, "open it with opts.record = 1",
                            "the calls of this session are not "
                            "recorded");
    if (sim->record->is_foreign)
        return session_fail(sim, WEIR_SIM_E_CALL, "let the call-back do that",
                            "a message of a call-back was changed or cancelled from outside, which cannot be saved");
    if (sim->record->no_memory)
        return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "there was not enough memory to record all calls");
    code = session_digest(sim, &digest);
    if (code != 0)
        return code;
    if (weir_outfile_open(&out, file, NULL, &err) == 0) {
        write_open(sim, out.file);
        session_record_write(sim->record, out.file);
        write_expect(digest, out.file);
        if (sim->record->no_memory) { /* found by the last call */
            weir_outfile_abandon(&out);
            return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "there was not enough memory to record all calls");
        }
        (void)weir_outfile_commit(&out, &err);
    }
    return err.code == 0 ? 0 : session_blame(&sim->error, WEIR_SIM_E_FILE, &err);
}

/* ---- restoring ---- */

/* Reads the options of a session that is restored. @return 0, or a code with player->error */
static int read_base(struct weir_session_player *player, const struct weir_sim_opts *opts)
{
    struct weir_sim_error *error = &player->error;
    if (opts == NULL)
        return 0;
    *error = (struct weir_sim_error){ .code = WEIR_SIM_E_ARGUMENT };
    if (!session_take(&player->base, sizeof(player->base), opts, opts->size, SESSION_OPTS_LEAST)) {
        (void)snprintf(error->text, sizeof(error->text), "opts.size is %u", opts->size);
        (void)snprintf(error->hint, sizeof(error->hint), "set opts.size to sizeof(struct weir_sim_opts)");
        return error->code;
    }
    if (player->base.set != NULL || player->base.events != 0 || player->base.reaction_ps != 0) {
        (void)snprintf(error->text, sizeof(error->text),
                       "opts.set, opts.events and opts.reaction_ps are those of the saved session: leave them 0");
        return error->code;
    }
    return 0;
}

int weir_sim_restore(const char *file, const struct weir_sim_opts *opts, struct weir_sim **sim,
                     struct weir_sim_error *error)
{
    struct weir_session_player player = { .sim = sim, .file = file };
    int code;
    *sim = NULL;
    code = read_base(&player, opts);
    if (code == 0)
        code = weir_session_play_file(&player, file);
    if (code != 0 && error != NULL)
        *error = player.error;
    weir_session_player_free(&player);
    WEIR_ASSERT((*sim == NULL) == (code != 0));
    return code;
}
