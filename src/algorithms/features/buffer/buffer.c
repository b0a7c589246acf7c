/* src/algorithms/features/buffer/buffer.c - limits of ports on shared memory: keys, set-up, the hook and the row. */
#include "core/assert.h"
#include "core/feature.h"
#include "features/buffer/buffer_core.h"

#define PORT_MAX UINT64_C(1000000000000)
#define ALPHA_MAX (UINT64_C(1024) * 1000000)
#define ALPHA_Q10_MAX (1u << 20)

static const struct weir_keyword unlimited = { "unlimited", UINT64_MAX };

static const struct weir_param buffer_params[] = {
    WEIR_PARAM_KEYWORD("port_buffer", struct weir_buffer_config, port_bytes, WEIR_KIND_SIZE, 1, PORT_MAX, UINT64_MAX,
                       &unlimited, "most that one port may hold, whatever is free"),
    WEIR_PARAM_NAMED(
        "alpha", struct weir_buffer_config, alpha_ppm, WEIR_KIND_PPM, 0, ALPHA_MAX, 0,
        "dynamic threshold: a port may hold alpha times what is free of `buffer`; 0 = off (Choudhury and Hahne, 1998)"),
    { 0 },
};

static const char *const dynamic[] = { "buffer: 200 KB", "alpha: 1", NULL };
static const char *const fixed[] = { "port_buffer: 60 KB", NULL };
static const struct weir_preset buffer_examples[] = {
    { "dynamic", "a pool of which a port may hold as much again as is free", dynamic },
    { "static", "a limit for each port", fixed },
    { 0 },
};

static int buffer_setup(const void *config, const struct weir_fabric_env *env, void *model,
                        struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_buffer_config *cfg = config;
    struct weir_buffer_model *m = model;
    *m = (struct weir_buffer_model){ .port_bytes = cfg->port_bytes,
                                     .alpha_q10 = (uint32_t)((uint64_t)cfg->alpha_ppm * 1024 / 1000000) };
    if (cfg->alpha_ppm > 0 && m->alpha_q10 == 0)
        m->alpha_q10 = 1; /* alpha below 1 / 1024 is rounded up to it, the least value above 0 */
    if (cfg->alpha_ppm > 0 && env->memory_bytes == UINT64_MAX)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set fabric.buffer, for example 16 MB",
                         "fabric: alpha shares out a limited buffer, and the buffer is unlimited");
    WEIR_ASSERT(m->alpha_q10 <= ALPHA_Q10_MAX);
    WEIR_ASSERT(m->alpha_q10 == 0 || env->memory_bytes >> 40 == 0); /* weir_buffer_admits() multiplies the two */
    plan->on = m->alpha_q10 > 0 || m->port_bytes != UINT64_MAX;
    return 0;
}

static bool buffer_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    (void)here;
    return !port->from_host;
}

enum { RULE_PORT, RULE_ALPHA };
static const struct weir_rule buffer_rules[] = {
    [RULE_PORT] = { "port", "join.limits", WEIR_FATE_DROPPED, "a port held as much as one port may (port_buffer)" },
    [RULE_ALPHA] = { "alpha", "join.limits", WEIR_FATE_DROPPED, "a port held its share of the free memory (alpha)" },
    { 0 },
};

static uint32_t buffer_admit(const struct weir_here *here, const struct weir_admit *a)
{
    switch (weir_buffer_admits(here->model, a)) {
    case WEIR_BUFFER_PORT_FULL:
        return WEIR_DROP | WEIR_RULE(RULE_PORT);
    case WEIR_BUFFER_ABOVE_ALPHA:
        return WEIR_DROP | WEIR_RULE(RULE_ALPHA);
    default:
        return 0;
    }
}

const struct weir_feature weir_buffer_feature = {
    .name = "shared-buffer",
    .hint = "limits what a port may hold of the memory that the ports of a switch share: by itself, or by what is free",
    .source = "Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998",
    .params = buffer_params,
    .examples = buffer_examples,
    .config_bytes = sizeof(struct weir_buffer_config),
    .model_bytes = sizeof(struct weir_buffer_model),
    .setup = buffer_setup,
    .when = WEIR_WHEN_JOIN,
    .port_init = buffer_port_init,
    .rules = buffer_rules,
    .admit = buffer_admit,
};
