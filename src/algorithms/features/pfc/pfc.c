/* src/algorithms/features/pfc/pfc.c - priority flow control: keys, set-up, hooks and the row. */
#include "core/feature.h"
#include "features/pfc/pfc_core.h"

enum { NAME = 64 };

#define SIZE_MAX_BYTES UINT64_C(16000000000)
#define STORM_MAX (UINT64_C(100000) * WEIR_PS_PER_S)
/* Memory for dynamic thresholds if the buffer is unlimited: 16 MiB per 50 Gb/s of the host link, as in HPCC's
 * simulator. */
#define BUFFER_BYTES (UINT64_C(16) << 20)
#define BUFFER_AT_BPS UINT64_C(50000000000)

static const char *const kinds[] = {
    [WEIR_PFC_OFF] = "off", [WEIR_PFC_STATIC] = "static", [WEIR_PFC_DYNAMIC] = "dynamic", NULL
};
static const char *const classes[] = { [WEIR_PFC_DATA_CLASSES] = "data", [WEIR_PFC_ALL_CLASSES] = "all", NULL };
static const struct weir_keyword by_itself = { "auto", UINT64_MAX };
static const struct weir_keyword not_counted = { "off", 0 };

static const struct weir_param pfc_params[] = {
    WEIR_PARAM_CHOICE("kind", struct weir_pfc_config, kind, kinds, WEIR_PFC_OFF,
                      "static: pause above xoff; dynamic: above a share of the free buffer, as in HPCC's public "
                      "simulator"),
    WEIR_PARAM_CHOICE("classes", struct weir_pfc_config, classes, classes, WEIR_PFC_DATA_CLASSES,
                      "which are lossless: data: all but class 0, which carries control (and with one class that one); "
                      "all"),
    WEIR_PARAM_NAMED(
        "xoff", struct weir_pfc_config, xoff_bytes, WEIR_KIND_SIZE, 1, SIZE_MAX_BYTES, 500000,
        "static: pause when an in-link's class holds more; 500 KB in FNCC's runs, 800 KB in RoCC's at 100 Gb/s"),
    WEIR_PARAM_KEYWORD("xon", struct weir_pfc_config, xon_bytes, WEIR_KIND_SIZE, 1, SIZE_MAX_BYTES, UINT64_MAX,
                       &by_itself, "static: resume when it holds less; auto = two full packets below xoff"),
    WEIR_PARAM_KEYWORD(
        "headroom", struct weir_pfc_config, headroom_bytes, WEIR_KIND_SIZE, 0, SIZE_MAX_BYTES, UINT64_MAX, &by_itself,
        "of each in-link and class, for what arrives after a pause; auto = the most that can, from rate and "
        "delay"),
    WEIR_PARAM_NAMED(
        "alpha_shift", struct weir_pfc_config, alpha_shift, WEIR_KIND_U32, 0, 32, 3,
        "dynamic: the threshold is what is free divided by 2^this, one less for each doubling of the port's rate above "
        "the host link's; 3 in HPCC's simulator"),
    WEIR_PARAM_NAMED("reserve", struct weir_pfc_config, reserve_bytes, WEIR_KIND_SIZE32, 0, 100000000, 4096,
                     "dynamic: each in-link and class has this much of its own; 4 KiB in HPCC's simulator"),
    WEIR_PARAM_NAMED("resume_offset", struct weir_pfc_config, resume_offset_bytes, WEIR_KIND_SIZE32, 0, 100000000, 3072,
                     "dynamic: resume this far below the threshold; 3 KiB in HPCC's simulator"),
    WEIR_PARAM_KEYWORD("storm", struct weir_pfc_config, storm_ps, WEIR_KIND_TIME, 1, STORM_MAX, WEIR_PS_PER_MS,
                       &not_counted, "a port paused for longer at a stretch counts as a pause storm; 1 ms is ours"),
    { 0 },
};

static const char *const by_static[] = { "pfc.kind: static", "pfc.xoff: 20 KB", NULL };
static const char *const by_dynamic[] = { "pfc.kind: dynamic", "buffer: 600 KB", NULL };
static const struct weir_preset pfc_examples[] = {
    { "static", "pauses above xoff", by_static },
    { "dynamic", "pauses above a share of what is free", by_dynamic },
    { 0 },
};

/* Sets m->lossless. DATA must be in a lossless class, else PFC would do nothing. @return 0, or WEIR_E_CONFLICT with
 * err */
static int setup_classes(const struct weir_pfc_config *cfg, const struct weir_fabric_env *env, struct weir_pfc_model *m,
                         struct weir_err *err)
{
    WEIR_ASSERT(env->classes > 0);
    WEIR_ASSERT(env->classes <= WEIR_CLASSES_MAX);
    uint32_t every = (1u << env->classes) - 1;
    uint32_t data = env->data_class < env->classes ? env->data_class : env->classes - 1;
    m->lossless = (uint8_t)(env->classes > 1 && cfg->classes == WEIR_PFC_DATA_CLASSES ? every & ~1u : every);
    for (uint32_t k = 0; k < env->law_count && env->law_count > 1; k++) {
        const struct weir_fabric_law *law = &env->law[k];
        data = law->data_class < env->classes ? law->data_class : env->classes - 1;
        if ((m->lossless >> data & 1) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, env->where, "set class: 1, or fabric.pfc.classes: all",
                             "fabric.pfc: protocol %s sends data in class %u, which is not lossless", law->protocol,
                             (unsigned)data);
    }
    if ((m->lossless >> data & 1) != 0)
        return 0;
    if (env->receiver_driven)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set fabric.pfc.classes: all",
                         "fabric.pfc: protocol %s sends all data in class 0, which is not lossless", env->protocol);
    return weir_fail(err, WEIR_E_CONFLICT, env->where, "set host.data_class: 1, or fabric.pfc.classes: all",
                     "fabric.pfc: host.data_class is 0, the class that is not lossless");
}

static int setup_thresholds(const struct weir_pfc_config *cfg, const struct weir_fabric_env *env,
                            struct weir_pfc_model *m, struct weir_err *err)
{
    m->mtu_bytes = (uint32_t)weir_max_u64(env->mtu_bytes, env->ack_bytes);
    m->mtu_bytes = (uint32_t)weir_max_u64(m->mtu_bytes, WEIR_CONTROL_BYTES); /* a NOTICE is not longer */
    m->fixed_headroom = cfg->headroom_bytes != UINT64_MAX;
    m->headroom_bytes = m->fixed_headroom ? cfg->headroom_bytes : 0;
    m->storm_ps = cfg->storm_ps;
    if (!m->is_static) {
        WEIR_ASSERT(cfg->alpha_shift < 64);
        m->alpha_shift = cfg->alpha_shift;
        m->reserve_bytes = cfg->reserve_bytes;
        m->resume_offset_bytes = cfg->resume_offset_bytes;
        return 0;
    }
    m->xoff_bytes = m->xon_bytes = cfg->xoff_bytes;
    if (cfg->xon_bytes != UINT64_MAX)
        m->xon_bytes = cfg->xon_bytes;
    else if (cfg->xoff_bytes > 2 * (uint64_t)m->mtu_bytes)
        m->xon_bytes = cfg->xoff_bytes - 2 * (uint64_t)m->mtu_bytes;
    if (m->xon_bytes > m->xoff_bytes)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "leave fabric.pfc.xon out: two packets below xoff",
                         "fabric.pfc: xon is above xoff");
    return 0;
}

/* Returns the parameters of the in-link of a port. What is on it when a pause takes effect may be as late as its cable
 * allows. */
static struct weir_pfc_in in_of(const struct weir_pfc_model *m, const struct weir_fabric_port *port)
{
    uint64_t late_ps = weir_late_most_ps(m->late, m->late_count, port->cable);
    struct weir_pfc_cable cable = { port->in_rate_bps, port->in_delay_ps + late_ps, port->rate_bps, port->delay_ps };
    return weir_pfc_in_of(m, &cable, m->host_link_bps);
}

/* Checks whether the buffer of every switch is large enough for all its accounts. With dynamic thresholds it must be
 * larger than the accounts need: the rest is the pool. @return 0, or WEIR_E_CONFLICT with err */
static int check_memory(const struct weir_pfc_model *m, const struct weir_fabric_env *env, struct weir_err *err)
{
    for (uint32_t s = 0; s < env->switch_count; s++) {
        uint64_t sum_bytes = 0; /* 65535 ports * 8 classes * 2^35 B fits */
        uint32_t ports = env->network->ports(env, s);
        char name[NAME];
        for (uint32_t p = 0; p < ports; p++) {
            struct weir_fabric_port port;
            struct weir_pfc_in in;
            env->network->port(env, s, p, &port);
            in = in_of(m, &port);
            sum_bytes += weir_pfc_in_bytes(m, &in);
        }
        if (sum_bytes < m->memory_bytes || (m->is_static && sum_bytes == m->memory_bytes))
            continue;
        env->network->name(env, s, name, sizeof(name));
        return weir_fail(
            err, WEIR_E_CONFLICT, env->where,
            "a larger fabric.buffer, or a smaller fabric.pfc.xoff, .headroom or .reserve",
            "fabric.pfc: %s needs %llu B for its %u in-links to lose nothing, and fabric.buffer has %llu B", name,
            (unsigned long long)sum_bytes, (unsigned)ports, (unsigned long long)m->memory_bytes);
    }
    return 0;
}

static int pfc_setup(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                     struct weir_err *err)
{
    const struct weir_pfc_config *cfg = config;
    struct weir_pfc_model *m = model;
    int code;
    WEIR_ASSERT(cfg->kind <= WEIR_PFC_DYNAMIC);
    if (cfg->kind == WEIR_PFC_OFF)
        return 0;
    *m = (struct weir_pfc_model){ .is_static = cfg->kind == WEIR_PFC_STATIC,
                                  .memory_bytes = env->memory_bytes,
                                  .host_link_bps = env->host_link_bps,
                                  .late = env->late,
                                  .late_count = env->late_count };
    if (!m->is_static && m->memory_bytes == UINT64_MAX)
        m->memory_bytes = weir_max_u64(1, weir_mul_div_u64(BUFFER_BYTES, env->host_link_bps, BUFFER_AT_BPS));
    code = setup_classes(cfg, env, m, err);
    if (code == 0)
        code = setup_thresholds(cfg, env, m, err);
    *plan = (struct weir_feature_plan){
        .on = true, .memory_bytes = m->memory_bytes, .lossless = m->lossless, .lanes = weir_pfc_lossless_count(m)
    };
    return code != 0 ? code : check_memory(m, env, err);
}

/* ---- hooks ---- */

static bool pfc_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    const struct weir_pfc_model *m = here->model;
    struct weir_pfc_port *p = here->port;
    struct weir_pfc_pool *pool = here->node;
    if (port->from_host)
        return true;                                /* a host obeys pauses, and keeps no accounts */
    WEIR_ASSERT(m->xon_bytes <= m->xoff_bytes + 1); /* a pause is made above xoff, a resume below xon: never both */
    if (!pool->begun)
        pool->size_bytes = m->memory_bytes;
    pool->begun = true;
    p->in = in_of(m, port);
    WEIR_ASSERT(p->in.shift <= m->alpha_shift);
    pool->shift = p->in.shift > pool->shift ? p->in.shift : pool->shift;
    pool->size_bytes -= weir_min_u64(pool->size_bytes, weir_pfc_in_bytes(m, &p->in));
    return true;
}

/* Returns the port that keeps the accounts of the in-link with index in_port: the port of the same cable. */
static struct weir_pfc_port *back_port(const struct weir_here *here, uint32_t in_port)
{
    return weir_port_state(here, in_port, sizeof(struct weir_pfc_port));
}

static bool is_counted(const struct weir_pfc_model *m, uint32_t in_port, uint32_t class_id)
{
    return in_port != WEIR_PORT_NONE && (m->lossless >> class_id & 1) != 0;
}

enum { RULE_HEADROOM, RULE_THRESHOLD };
static const struct weir_rule pfc_rules[] = {
    [RULE_HEADROOM] = { "headroom", "pfc.admission", WEIR_FATE_DROPPED,
                        "the headroom for packets that PFC does not stop in time was full" },
    [RULE_THRESHOLD] = { "threshold", "pfc.pause", WEIR_FATE_PAUSED,
                         "what had come in by a port was above its threshold" },
    { 0 },
};

/* Refuses a packet of a lossless class for which there is no headroom. If the switch lacks memory for the packet, the
 * switch itself refuses the packet, with its own cause. Both refusals are counted in lossless_drops. */
static uint32_t pfc_admit(const struct weir_here *here, const struct weir_admit *a)
{
    const struct weir_pfc_model *m = here->model;
    struct weir_pfc_port *back;
    bool fits = a->used_bytes + a->bytes <= a->memory_bytes;
    if (!is_counted(m, a->in_port, a->in_class))
        return 0;
    back = back_port(here, a->in_port);
    if (fits && weir_pfc_admits(m, here->node, &back->in, &back->account[a->in_class], a->bytes))
        return 0;
    back->lossless_drops++;
    return fits ? WEIR_DROP | WEIR_RULE(RULE_HEADROOM) : 0;
}

/* Checks an account against the limits of admission, by assertions; an underflow would exceed them by far. Called off
 * the per-packet path: for a control frame, and at the end of the run. */
static void assert_account(const struct weir_pfc_model *m, const struct weir_pfc_in *in,
                           const struct weir_pfc_account *a)
{
    WEIR_ASSERT(a->headroom_bytes <= in->headroom_bytes);
    WEIR_ASSERT(a->bytes <= (m->is_static ? m->xoff_bytes + in->headroom_bytes : m->memory_bytes));
}

static void set_paused(const struct weir_here *here, struct weir_pfc_account *account, bool paused)
{
    struct weir_pfc_pool *pool = here->node;
    WEIR_ASSERT(pool->paused >= account->paused);
    pool->paused += (uint32_t)paused - account->paused;
    account->paused = paused;
}

static uint32_t make_frame(const struct weir_here *here, struct weir_pfc_port *back, uint32_t in_port,
                           uint32_t class_id, bool pause, struct weir_control *out)
{
    WEIR_ASSERT(back->account[class_id].paused != pause);
    assert_account(here->model, &back->in, &back->account[class_id]);
    set_paused(here, &back->account[class_id], pause);
    *(pause ? &back->pauses_made : &back->resumes_made) += 1;
    *out = (struct weir_control){ .port = in_port,
                                  .class_id = (uint8_t)class_id,
                                  .code = pause ? WEIR_CONTROL_PAUSE : WEIR_CONTROL_RESUME };
    return pause ? WEIR_CONTROL | WEIR_PAUSE | WEIR_RULE(RULE_THRESHOLD) : WEIR_CONTROL;
}

static uint32_t pfc_on_joined(const struct weir_here *here, const struct weir_joined *j, struct weir_control *control)
{
    const struct weir_pfc_model *m = here->model;
    struct weir_pfc_port *back;
    struct weir_pfc_account *account;
    if (!is_counted(m, j->in_port, j->in_class))
        return 0;
    back = back_port(here, j->in_port);
    account = &back->account[j->in_class];
    weir_pfc_accept(m, here->node, &back->in, account, j->pkt->wire_bytes);
    if (!weir_pfc_must_pause(m, here->node, &back->in, account))
        return 0;
    return make_frame(here, back, j->in_port, j->in_class, true, control);
}

static uint32_t pfc_on_left(const struct weir_here *here, const struct weir_departure *l, struct weir_control *control)
{
    const struct weir_pfc_model *m = here->model;
    struct weir_pfc_port *back;
    struct weir_pfc_account *account;
    if (!is_counted(m, l->in_port, l->in_class))
        return 0;
    back = back_port(here, l->in_port);
    account = &back->account[l->in_class];
    weir_pfc_release(m, here->node, account, l->bytes);
    if (!weir_pfc_may_resume(m, here->node, &back->in, account))
        return 0;
    return make_frame(here, back, l->in_port, l->in_class, false, control);
}

/* Returns the lossless classes among those that ports have, as bits. */
static uint32_t counted_classes(const struct weir_pfc_model *m, const struct weir_held *held)
{
    return m->lossless & ((1u << held->classes) - 1);
}

static uint64_t held_bytes(const struct weir_held *held, uint32_t in_port, uint32_t class_id)
{
    return held->bytes[in_port * held->classes + class_id];
}

/* Returns the bytes of the pool that all accounts use if the switch holds the bytes in *held; 0 with static
 * thresholds. */
static uint64_t pool_used(const struct weir_pfc_model *m, const struct weir_held *held)
{
    uint64_t used_bytes = 0;
    for (uint32_t i = 0; !m->is_static && i < held->ports; i++) {
        for (uint32_t left = counted_classes(m, held); left != 0; left &= left - 1) {
            const struct weir_pfc_account full = { .bytes = held_bytes(held, i, (uint32_t)__builtin_ctz(left)) };
            used_bytes += weir_pfc_shared(m, &full);
        }
    }
    return used_bytes;
}

/* Tests whether a packet could be refused before a pause, with dynamic thresholds. Admission compares a whole packet
 * with the threshold, even the part for which reserve is free. So a headroom of less than a packet may refuse it. a:
 * the account with the most bytes that it may hold */
static bool may_refuse(const struct weir_pfc_model *m, const struct weir_pfc_pool *pool, const struct weir_pfc_in *in,
                       const struct weir_pfc_account *a)
{
    return !m->is_static && a->bytes > 0 && in->headroom_bytes < m->mtu_bytes &&
           weir_pfc_shared(m, a) + m->mtu_bytes > weir_pfc_threshold(pool, in);
}

/* Tests whether some account would reach its threshold, or a packet could be refused. apart: true = each in-link is
 * compared with its own threshold; false = all are compared with the lowest threshold of the switch. The test with
 * false reads no state of in-links, and is the first test of every window. */
static inline bool comes_to_threshold(const struct weir_here *here, const struct weir_held *most,
                                      const struct weir_pfc_pool *pool, bool apart)
{
    const struct weir_pfc_model *m = here->model;
    const struct weir_pfc_in lowest = { .shift = pool->shift };
    for (uint32_t i = 0; i < most->ports; i++) {
        const struct weir_pfc_in *in = apart ? &back_port(here, i)->in : &lowest;
        for (uint32_t left = counted_classes(m, most); left != 0; left &= left - 1) {
            const struct weir_pfc_account full = { .bytes = held_bytes(most, i, (uint32_t)__builtin_ctz(left)) };
            if (weir_pfc_must_pause(m, pool, in, &full) || may_refuse(m, pool, in, &full))
                return true;
        }
    }
    return false;
}

/* Tests whether PFC only keeps accounts as long as the switch holds no more than `most`. No account is then paused or
 * in its headroom, no packet is refused, and no account reaches its threshold. The thresholds are lowest when all
 * accounts hold their most. */
static bool pfc_is_idle(const struct weir_here *here, const struct weir_held *most)
{
    const struct weir_pfc_model *m = here->model;
    struct weir_pfc_pool pool = *(const struct weir_pfc_pool *)here->node;
    if (pool.paused > 0 || pool.headroom_bytes > 0)
        return false;
    if (m->is_static && most->sum_bytes <= m->xoff_bytes)
        return true;
    pool.used_bytes = pool_used(m, most);
    return !comes_to_threshold(here, most, &pool, false) || !comes_to_threshold(here, most, &pool, true);
}

static void pfc_set_held(const struct weir_here *here, const struct weir_held *held)
{
    const struct weir_pfc_model *m = here->model;
    struct weir_pfc_pool *pool = here->node;
    WEIR_ASSERT(pool->paused == 0); /* pfc_is_idle() returned true */
    WEIR_ASSERT(pool->headroom_bytes == 0);
    pool->used_bytes = pool_used(m, held);
    for (uint32_t i = 0; i < held->ports; i++) {
        for (uint32_t left = counted_classes(m, held); left != 0; left &= left - 1) {
            uint32_t class_id = (uint32_t)__builtin_ctz(left);
            back_port(here, i)->account[class_id].bytes = held_bytes(held, i, class_id);
        }
    }
}

static void pfc_on_control(const struct weir_here *here, uint64_t now_ps, const struct weir_control *control)
{
    struct weir_pfc_port *p = here->port;
    WEIR_ASSERT(control->class_id < WEIR_CLASSES_MAX);
    WEIR_ASSERT(control->code == WEIR_CONTROL_PAUSE || control->code == WEIR_CONTROL_RESUME);
    weir_pfc_obey(here->model, &p->paused, control->class_id, control->code == WEIR_CONTROL_PAUSE, now_ps);
}

static uint32_t pfc_closed(const struct weir_here *here)
{
    return ((const struct weir_pfc_port *)here->port)->paused.classes;
}

/* Ends the pauses that the port received, and those that it sent for its in-link. The bytes of accounts stay. */
static void pfc_on_cut(const struct weir_here *here, uint64_t now_ps)
{
    struct weir_pfc_port *p = here->port;
    weir_pfc_forget(here->model, &p->paused, now_ps);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        set_paused(here, &p->account[c], false);
}

static void pfc_on_end(const struct weir_here *here, uint64_t end_ps)
{
    struct weir_pfc_port *p = here->port;
    weir_pfc_forget(here->model, &p->paused, end_ps);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        assert_account(here->model, &p->in, &p->account[c]);
}

static const struct weir_feature_counter pfc_counters[] = {
    WEIR_COUNTER(struct weir_pfc_port, pauses_made, "pause_frames", "pause frames"),
    WEIR_COUNTER(struct weir_pfc_port, resumes_made, "resume_frames", "resumes"),
    WEIR_COUNTER(struct weir_pfc_port, paused.pauses, "pause_frames_arrived", NULL),
    WEIR_COUNTER(struct weir_pfc_port, paused.resumes, "resume_frames_arrived", NULL),
    WEIR_COUNTER(struct weir_pfc_port, paused.storms, "pause_storms", "storms"),
    { .name = "paused",
      .hint = "paused",
      .offset = offsetof(struct weir_pfc_port, paused.sum_ps),
      .how = WEIR_COUNT_SUM_PS },
    { .name = "paused_longest",
      .hint = "longest",
      .offset = offsetof(struct weir_pfc_port, paused.longest_ps),
      .how = WEIR_COUNT_MOST_PS,
      .where = WEIR_COUNT_AT_PORT },
    { .name = "lossless_drops",
      .hint = "dropped for lack of headroom",
      .offset = offsetof(struct weir_pfc_port, lossless_drops),
      .where = WEIR_COUNT_AT_IN_LINK },
    { 0 },
};

const struct weir_feature weir_pfc_feature = {
    .name = "pfc",
    .title = "PFC",
    .hint = "pauses the other end of a link class by class, so that nothing is dropped",
    .source = "IEEE 802.1Qbb; dynamic thresholds: the public ns-3 simulator of HPCC",
    .section = "pfc",
    .section_text = "Priority flow control: lossless classes. `pfc: static` is short for `pfc: {kind: static}`.",
    .short_key = "kind",
    .params = pfc_params,
    .examples = pfc_examples,
    .everywhere = "a pause that one switch sends is obeyed by the next",
    .config_bytes = sizeof(struct weir_pfc_config),
    .model_bytes = sizeof(struct weir_pfc_model),
    .setup = pfc_setup,
    .when = WEIR_WHEN_COUPLED,
    .port_bytes = sizeof(struct weir_pfc_port),
    .node_bytes = sizeof(struct weir_pfc_pool),
    .port_init = pfc_port_init,
    .counters = pfc_counters,
    .rules = pfc_rules,
    .admit = pfc_admit,
    .on_joined = pfc_on_joined,
    .on_sent = pfc_on_left,
    .on_dropped = pfc_on_left,
    .on_control = pfc_on_control,
    .closed = pfc_closed,
    .on_cut = pfc_on_cut,
    .is_idle = pfc_is_idle,
    .set_held = pfc_set_held,
    .on_end = pfc_on_end,
};
