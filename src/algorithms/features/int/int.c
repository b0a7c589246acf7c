/* src/algorithms/features/int/int.c - in-band telemetry: keys, set-up, hooks and the row. */
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "core/need.h"
#include "features/int/int_core.h"

static const char *const modes[] = {
    [WEIR_INT_AUTO] = "auto", [WEIR_INT_OFF] = "off", [WEIR_INT_DATA] = "data", [WEIR_INT_ACK] = "ack", NULL
};
static const char *const formats[] = {
    [WEIR_INT_AS_READ] = "auto", [WEIR_INT_EXACT] = "exact", [WEIR_INT_QUANTISED] = "quantised", NULL
};
#define READING (WEIR_NEED_INT | WEIR_NEED_ACK_INT)
static const struct weir_keyword as_needed = { "auto", 0 };

static const struct weir_param int_params[] = {
    WEIR_PARAM_CHOICE(
        "mode", struct weir_int_config, mode, modes, WEIR_INT_AUTO,
        "data: into data as it leaves a port (HPCC, SIGCOMM 2019); ack: of the request path into returning "
        "ACKs (FNCC); auto = what the protocol needs"),
    WEIR_PARAM_CHOICE(
        "format", struct weir_int_config, format, formats, WEIR_INT_AS_READ,
        "exact, or quantised: 24 bits of 1 ns, 20 bits of 128 B, 16 bits of 80 B; auto = as the protocol's "
        "key int says, else exact"),
    WEIR_PARAM_KEYWORD(
        "multi", struct weir_int_config, multi, WEIR_KIND_U32, 0, 64, 0, &as_needed,
        "quantised: byte units are this many times 128 and 80 B; auto = as the protocol's key int_multi says, else "
        "the host link's rate in 25 Gb/s"),
    WEIR_PARAM_NAMED("period", struct weir_int_config, period_ps, WEIR_KIND_TIME, 0, WEIR_PS_PER_MS, 0,
                     "ack: a switch reads all its ports this often, and records are as of then; 0 = at the instant"),
    { 0 },
};

static const char *const for_hpcc[] = { "protocol.name: hpcc", NULL };
static const char *const for_fncc[] = { "protocol.name: fncc", NULL };
static const struct weir_preset int_examples[] = {
    { "data", "as HPCC wants it", for_hpcc },
    { "ack", "as FNCC wants it", for_fncc },
    { 0 },
};

static enum weir_int_said mode_of(const struct weir_int_config *cfg, uint32_t needs)
{
    if (cfg->mode != WEIR_INT_AUTO)
        return cfg->mode;
    if ((needs & WEIR_NEED_INT) != 0)
        return WEIR_INT_DATA;
    return (needs & WEIR_NEED_ACK_INT) != 0 ? WEIR_INT_ACK : WEIR_INT_OFF;
}

/* Collects the different rates of all links. A record names its port's rate by an index of 4 bits. @return 0, or
 * WEIR_E_RANGE with err: more than WEIR_TELEMETRY_RATES_MAX rates */
static int setup_rates(const struct weir_fabric_env *env, struct weir_telemetry_rates *rates, struct weir_err *err)
{
    for (uint32_t l = 0; l < env->link_count; l++) {
        uint64_t rate_bps = env->network->link_rate_bps(env, l);
        if (weir_int_rate_id(rates, rate_bps) < rates->count)
            continue;
        if (rates->count == WEIR_TELEMETRY_RATES_MAX)
            return weir_fail(err, WEIR_E_RANGE, env->where_topology,
                             "fewer different rates in the topology, or fabric.int: off",
                             "topology: links of more than %u different rates, and telemetry distinguishes no more",
                             WEIR_TELEMETRY_RATES_MAX);
        rates->bps[rates->count++] = rate_bps;
    }
    WEIR_ASSERT(rates->count <= WEIR_TELEMETRY_RATES_MAX);
    return 0;
}

/* Refuses two laws that read unlike records, or of which one reads them in data and the other in ACKs: a port writes
 * one kind. @return 0, or WEIR_E_CONFLICT with err */
static int check_laws(const struct weir_fabric_env *env, struct weir_err *err)
{
    const struct weir_fabric_law *data = NULL, *ack = NULL, *first = NULL;
    WEIR_ASSERT(env->law_count <= WEIR_LAWS_MAX);
    for (uint32_t k = 0; k < env->law_count; k++) {
        const struct weir_fabric_law *law = &env->law[k];
        data = (law->needs & WEIR_NEED_INT) != 0 ? law : data;
        ack = (law->needs & WEIR_NEED_ACK_INT) != 0 ? law : ack;
        if ((law->needs & READING) == 0 || law->telemetry.any)
            continue;
        if (first != NULL &&
            (first->telemetry.quantised != law->telemetry.quantised || first->telemetry.multi != law->telemetry.multi))
            return weir_fail(err, WEIR_E_CONFLICT, env->where_protocol, "give both the same protocol.int",
                             "fabric.int: protocols %s and %s read records of unlike formats", first->protocol,
                             law->protocol);
        first = law;
    }
    if (data != NULL && ack != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, env->where_protocol, "leave one of the two out",
                         "fabric.int: protocol %s needs telemetry in data, and %s in ACKs; ports write one of them",
                         data->protocol, ack->protocol);
    return 0;
}

/* Sets the format and the units of records, and refuses those that the protocol does not read. @return 0, or
 * WEIR_E_CONFLICT with err */
static int setup_format(const struct weir_int_config *cfg, const struct weir_fabric_env *env, struct weir_int_model *m,
                        struct weir_err *err)
{
    static const char *const word[] = { "exact", "quantised" };
    uint32_t by_rate = (uint32_t)weir_max_u64(1, env->host_link_bps / WEIR_INT_MULTI_BPS);
    const struct weir_telemetry_read *read = &env->telemetry;
    uint32_t read_multi = read->multi != 0 ? read->multi : by_rate;
    m->quantised = cfg->format != WEIR_INT_AS_READ ? cfg->format == WEIR_INT_QUANTISED : read->quantised;
    m->multi = 1;
    if (!read->any && read->quantised != m->quantised)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "leave fabric.int.format out, or change protocol.int",
                         "fabric.int: records are %s, and protocol %s reads %s ones", word[m->quantised], env->protocol,
                         word[!m->quantised]);
    if (!m->quantised)
        return 0;
    m->multi = cfg->multi != 0 ? cfg->multi : read_multi;
    WEIR_ASSERT(m->multi > 0);
    if (!read->any && m->multi != read_multi)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "leave fabric.int.multi out, or change protocol.int_multi",
                         "fabric.int: multi is %u, and protocol %s reads units of multi %u", (unsigned)m->multi,
                         env->protocol, (unsigned)read_multi);
    return 0;
}

static int check_network(const struct weir_int_config *cfg, const struct weir_fabric_env *env,
                         const struct weir_int_model *m, struct weir_err *err)
{
    const struct weir_tok *where = cfg->mode != WEIR_INT_AUTO ? env->where : env->where_protocol;
    if (env->path_switches > WEIR_TELEMETRY_HOPS_MAX)
        return weir_fail(err, WEIR_E_RANGE, env->where_topology, "fewer switches in topology, or fabric.int: off",
                         "topology: the longest path has %u switches, and a packet has room for the telemetry of %u",
                         (unsigned)env->path_switches, WEIR_TELEMETRY_HOPS_MAX);
    if (m->into_acks && !env->routes_symmetric)
        return weir_fail(err, WEIR_E_CONFLICT, env->where_fabric, "set fabric.routing: symmetric or trees",
                         "fabric: telemetry in ACKs is of the ports their data passed only if routing is symmetric");
    if (env->routes_spray)
        return weir_fail(err, WEIR_E_CONFLICT, env->where_fabric,
                         weir_fabric_path_hint(env, "set fabric.routing: ecmp or symmetric"),
                         "fabric: telemetry is compared with the last of the same path, and %s packets",
                         env->nics_spread ? "host.nics spreads" : "routing sprays");
    for (uint32_t i = 0; m->quantised && i < m->rates.count; i++) {
        if (!weir_telemetry_has_code(m->rates.bps[i]))
            return weir_fail(err, WEIR_E_CONFLICT, where,
                             "use 25, 50, 100, 200 or 400 Gbps in topology, or exact records (fabric.int.format and "
                             "protocol.int)",
                             "fabric.int: quantised records have no code for links of %llu Mb/s",
                             (unsigned long long)(m->rates.bps[i] / 1000000));
    }
    return 0;
}

static int int_setup(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                     struct weir_err *err)
{
    const struct weir_int_config *cfg = config;
    struct weir_int_model *m = model;
    enum weir_int_said mode = mode_of(cfg, env->needs);
    int code;
    if (mode == WEIR_INT_OFF)
        return 0;
    if ((code = check_laws(env, err)) != 0)
        return code;
    if (mode == WEIR_INT_ACK && env->receiver_driven)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set fabric.int: data, or another protocol.name",
                         "fabric.int: protocol %s is receiver-driven and has no ACKs to carry telemetry",
                         env->protocol);
    *m =
        (struct weir_int_model){ .into_acks = mode == WEIR_INT_ACK, .foreign_laws = weir_fabric_foreign(env, READING) };
    m->period_ps = m->into_acks ? cfg->period_ps : 0;
    *plan = (struct weir_feature_plan){ .on = true,
                                        .offers = m->into_acks ? WEIR_NEED_ACK_INT : WEIR_NEED_INT,
                                        .laws = weir_fabric_owners(env, READING),
                                        .records_max = env->path_switches,
                                        .skips_joined = m->period_ps == 0,
                                        .late_start = true,
                                        .other_port_kinds = m->into_acks ? WEIR_PKT_KIND_BIT(WEIR_PKT_ACK) : 0,
                                        .rates = &m->rates };
    if ((code = setup_rates(env, &m->rates, err)) == 0 && (code = setup_format(cfg, env, m, err)) == 0)
        code = check_network(cfg, env, m, err);
    return code;
}

/* ---- hooks ---- */

static bool int_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    const struct weir_int_model *m = here->model;
    struct weir_int_port *p = here->port;
    p->rate_id = weir_int_rate_id(&m->rates, port->rate_bps);
    WEIR_ASSERT(p->rate_id < m->rates.count);
    p->index = port->index;
    return !port->from_host;
}

/* Updates the table with the values before the packet joined. Called only with a period. */
static uint32_t int_on_joined(const struct weir_here *here, const struct weir_joined *j, struct weir_control *control)
{
    const struct weir_int_model *m = here->model;
    struct weir_int_port *p = here->port;
    (void)control;
    weir_int_refresh(p, m->period_ps, j->now_ps, here->waiting_bytes[p->index] - j->pkt->wire_bytes);
    return 0;
}

static uint32_t int_on_dropped(const struct weir_here *here, const struct weir_departure *l,
                               struct weir_control *control)
{
    const struct weir_int_model *m = here->model;
    struct weir_int_port *p = here->port;
    (void)control;
    weir_int_refresh(p, m->period_ps, l->now_ps, here->waiting_bytes[p->index] + l->bytes);
    return 0;
}

/* Returns the port whose record is written into the packet. An ACK gets the record of the port that leads back to where
 * the ACK came from. NULL = the packet gets none */
static inline struct weir_int_port *record_port(const struct weir_here *here, const struct weir_start *s)
{
    const struct weir_int_model *m = here->model;
    if (s->record == NULL || s->pkt->kind != WEIR_PKT_ACK || (m->foreign_laws >> weir_pkt_law(s->pkt) & 1) != 0)
        return NULL;
    return s->in_port != WEIR_PORT_NONE ? weir_port_state(here, s->in_port, sizeof(struct weir_int_port)) : NULL;
}

/* Writes a record as of now into an ACK. ACKs and quantised records are a cold path, not inlined, so that the hot path
 * (exact records in DATA) keeps its registers. */
static __attribute__((noinline)) uint32_t ack_on_start(const struct weir_here *here, const struct weir_start *s)
{
    const struct weir_int_port *of = record_port(here, s);
    if (of != NULL)
        *s->record = weir_int_record(here->model, of, s->now_ps, here->waiting_bytes[of->index]);
    weir_int_sent(here->port, s->now_ps, s->pkt->wire_bytes, s->tx_ps);
    return of != NULL ? WEIR_RECORD : 0;
}

/* Writes a record from the table into an ACK. */
static __attribute__((noinline)) uint32_t table_on_start(const struct weir_here *here, const struct weir_start *s)
{
    const struct weir_int_model *m = here->model;
    struct weir_int_port *p = here->port, *of = record_port(here, s);
    weir_int_refresh(p, m->period_ps, s->now_ps, here->waiting_bytes[p->index] + s->pkt->wire_bytes);
    if (of != NULL)
        *s->record = weir_int_table_record(m, of, s->now_ps, here->waiting_bytes[of->index]);
    weir_int_sent(p, s->now_ps, s->pkt->wire_bytes, s->tx_ps);
    return of != NULL ? WEIR_RECORD : 0;
}

static __attribute__((noinline)) void put_quantised(const struct weir_here *here, const struct weir_start *s,
                                                    uint64_t tx_bytes, uint64_t queue_bytes)
{
    const struct weir_int_port *p = here->port;
    const struct weir_int_values now = { .tx_bytes = tx_bytes, .queue_bytes = queue_bytes };
    *s->record = weir_int_pack(here->model, &now, s->now_ps, p->rate_id);
}

/* Writes a record into a packet whose transmission starts. A record of this port counts the packet neither as waiting
 * nor as sent, and no other packet is in transmission. */
static uint32_t int_on_start(const struct weir_here *here, struct weir_start *s)
{
    const struct weir_int_model *m = here->model;
    struct weir_int_port *p = here->port;
    if (m->into_acks)
        return m->period_ps == 0 ? ack_on_start(here, s) : table_on_start(here, s);
    uint64_t tx_bytes = p->sent_bytes, queue_bytes = here->waiting_bytes[p->index];
    p->sent_bytes += s->pkt->wire_bytes;
    if (s->record == NULL || s->pkt->kind != WEIR_PKT_DATA || (m->foreign_laws >> weir_pkt_law(s->pkt) & 1) != 0)
        return 0;
    if (WEIR_UNLIKELY(m->quantised))
        put_quantised(here, s, tx_bytes, queue_bytes);
    else
        *s->record = weir_telemetry_pack(s->now_ps, tx_bytes, queue_bytes, p->rate_id);
    return WEIR_RECORD;
}

/* The feature changes the number of records in the packet; the records themselves are in the side channel. */
static const struct weir_extension int_extension = {
    .name = "records",
    .parts = WEIR_PART_BYTE,
    .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) | WEIR_PKT_KIND_BIT(WEIR_PKT_ACK),
};

const struct weir_feature weir_int_feature = {
    .name = "int",
    .title = "telemetry",
    .hint = "writes what a port has sent and holds into data (HPCC, SIGCOMM 2019) or ACKs (FNCC)",
    .source = "Li et al., SIGCOMM 2019; Xu et al., arXiv 2405.07608",
    .section = "int",
    .section_text = "Telemetry: a record of each switch port on the way. `int: ack` is short for `int: {mode: ack}`.",
    .short_key = "mode",
    .params = int_params,
    .examples = int_examples,
    .everywhere = "a record must come from every switch of the path",
    .config_bytes = sizeof(struct weir_int_config),
    .model_bytes = sizeof(struct weir_int_model),
    .setup = int_setup,
    .extension = &int_extension,
    .when = WEIR_WHEN_COUPLED,
    .port_bytes = sizeof(struct weir_int_port),
    .port_init = int_port_init,
    .on_start = int_on_start,
    .on_joined = int_on_joined,
    .on_dropped = int_on_dropped,
};
