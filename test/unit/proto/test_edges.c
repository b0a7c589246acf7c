/* test/unit/proto/test_edges.c - every sender-driven law of the registry, led to its limits: sequence numbers move byte by byte, and
 * times, delays and sizes are those of its config, one less and one more. All its answers are one number per preset. A fault of
 * one in a comparison changes it; so does another rule, and then the commit gives the reason for the new number. */
#include "test/unit/proto/law_bench.h"
#include "core/rng.h"
#include "core/telemetry.h"
#include "registry.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MSS = 1000, STEPS = 12000, LIMITS_MAX = 64, PRESETS_MAX = 16 };
static const struct weir_path path = { .base_rtt_ps = 12000000,
                                       .control_rtt_ps = 10000000,
                                       .rate_bps = UINT64_C(100000000000),
                                       .bdp_bytes = 150000,
                                       .mss_bytes = MSS,
                                       .wire_bytes = MSS + 80,
                                       .hops = 3 };

static const struct {
    const char *name;
    uint64_t answers[PRESETS_MAX]; /* without a preset, then with each */
} laws[] = {
#include "test/unit/proto/edges.inc"
};

struct bench { /* a flow, and what leads it */
    const struct weir_protocol *law;
    void *config;
    struct weir_cc *cc;
    uint64_t limit[LIMITS_MAX]; /* of its config: times and sizes */
    uint32_t limits;
    struct weir_ack ack;
    struct weir_int_hop hop[2];
    uint64_t answers;
};

static void add_limit(struct bench *b, uint64_t value)
{
    if (value > 0 && value < UINT64_C(1) << 33 && b->limits < LIMITS_MAX)
        b->limit[b->limits++] = value;
}

static void find_limits(struct bench *b)
{
    b->limits = 0;
    add_limit(b, 1);
    add_limit(b, path.base_rtt_ps);
    for (const struct weir_param *row = b->law->params; row->key != NULL; row++) {
        const char *field = (const char *)b->config + row->offset;
        uint64_t wide = 0;
        uint32_t narrow = 0;
        if (row->kind == WEIR_KIND_TIME || row->kind == WEIR_KIND_SIZE)
            memcpy(&wide, field, sizeof(wide));
        else if (row->kind == WEIR_KIND_RTT)
            wide = ((const struct weir_time_or_rtt *)(const void *)field)->ps;
        else if (row->kind == WEIR_KIND_BDP)
            wide = ((const struct weir_size *)(const void *)field)->bytes;
        else if (row->kind == WEIR_KIND_SIZE32 || row->kind == WEIR_KIND_U32)
            memcpy(&narrow, field, sizeof(narrow));
        add_limit(b, wide + narrow);
    }
}

static void note(struct bench *b)
{
    assert_in_range(b->cc->cwnd_bytes, 1, WEIR_CWND_MAX_BYTES);
    b->answers = weir_mix_u64(b->answers ^ b->cc->rate_bps ^ (uint64_t)b->cc->cwnd_bytes << 32);
    b->answers = weir_mix_u64(b->answers ^ b->cc->timer_ps);
}

/* The i-th value near a limit: below it, at it, above it. */
static uint64_t near(const struct bench *b, uint32_t i)
{
    return b->limit[i / 3 % b->limits] + i % 3 - 1;
}

static void run_timer(struct bench *b, uint32_t i)
{
    uint64_t timer_ps = b->cc->timer_ps;
    if (timer_ps == WEIR_NEVER || timer_ps < b->ack.now_ps || b->law->cc->on_timer == NULL)
        return;
    b->ack.now_ps = timer_ps + i % 2;
    b->law->cc->on_timer(b->cc, b->config, b->ack.now_ps);
    note(b);
}

static void give_ack(struct bench *b, uint32_t i)
{
    struct weir_ack *ack = &b->ack;
    uint32_t step = i % 16 == 15 ? MSS - 1 + i / 16 % 3 : 1;
    ack->now_ps += i % 4 == 0 ? near(b, i / 4) % 40000000 : 1;
    ack->rtt_ps = i % 4 == 1 ? near(b, i / 4) : path.base_rtt_ps + i % 4000;
    ack->qdelay_max_ps = (b->law->cc->needs & WEIR_NEED_QDELAY) != 0 ? near(b, i / 4) : 0;
    ack->acked_seq += step;
    ack->next_seq = ack->next_seq > ack->acked_seq + 4 ? ack->next_seq : ack->acked_seq + 4 + i % 7;
    ack->acked_bytes = step;
    ack->marked_bytes = i % 13 < 3 ? step : 0;
    ack->inflight_bytes = (uint32_t)(ack->next_seq - ack->acked_seq);
    ack->flags = i % 11 == 5 ? WEIR_ACK_APP_LIMITED : 0;
    ack->share_count = (uint16_t)(i % 5);
    for (uint32_t h = 0; h < 2; h++)
        b->hop[h] = (struct weir_int_hop){ .ts_ps = b->hop[h].ts_ps + 80000 + near(b, i / 4) % 100000,
                                           .tx_bytes = b->hop[h].tx_bytes + 1000 + i % 3,
                                           .rate_bps = path.rate_bps,
                                           .queue_bytes = i % 4 == 2 ? (uint32_t)near(b, i / 4) : i % 5000 };
    ack->hop = b->hop;
    ack->hop_count = (b->law->cc->needs & (WEIR_NEED_INT | WEIR_NEED_ACK_INT)) != 0 ? 2 : 0;
    b->law->cc->on_ack(b->cc, b->config, ack);
    note(b);
}

static void give_loss(struct bench *b, uint32_t i)
{
    const struct weir_loss loss = { .now_ps = b->ack.now_ps,
                                    .lost_seq = b->ack.acked_seq + i % 5,
                                    .next_seq = b->ack.next_seq,
                                    .lost_bytes = 1,
                                    .is_timeout = i % 7 == 0 };
    b->law->cc->on_loss(b->cc, b->config, &loss);
    note(b);
}

/* Changes one size or rate of the config at a time to one near the path's, and notes what the check says of it. */
static void try_checks(struct bench *b)
{
    struct weir_err err;
    void *kept = malloc(b->law->config_bytes);
    assert_non_null(kept);
    memcpy(kept, b->config, b->law->config_bytes);
    for (const struct weir_param *row = b->law->params; row->key != NULL && b->law->check != NULL; row++) {
        char *field = (char *)b->config + row->offset;
        const uint64_t at[] = { MSS, path.base_rtt_ps, path.rate_bps, WEIR_CWND_MAX_BYTES };
        for (uint32_t i = 0; i < 12; i++) {
            uint64_t value = at[i / 3] + i % 3 - 1;
            uint32_t narrow = (uint32_t)value;
            if (row->kind == WEIR_KIND_TIME || row->kind == WEIR_KIND_SIZE || row->kind == WEIR_KIND_RATE)
                memcpy(field, &value, sizeof(value));
            else if (row->kind == WEIR_KIND_RTT)
                ((struct weir_time_or_rtt *)(void *)field)->ps = value;
            else if (row->kind == WEIR_KIND_BDP)
                ((struct weir_size *)(void *)field)->bytes = value;
            else if (row->kind == WEIR_KIND_SIZE32)
                memcpy(field, &narrow, sizeof(narrow));
            b->answers = weir_mix_u64(b->answers ^ (uint64_t)b->law->check(b->config, &path, &err));
            memcpy(b->config, kept, b->law->config_bytes);
        }
    }
    free(kept);
}

/* @return one number of all that the law answered; 0 = the path is not for this preset */
static uint64_t lead(const struct weir_protocol *law, const struct weir_preset *preset)
{
    struct bench b = { .law = law, .config = calloc(1, law->config_bytes), .cc = calloc(1, law->cc->state_bytes) };
    struct weir_err err;
    assert_true(b.config != NULL && b.cc != NULL);
    if (preset == NULL)
        weir_param_defaults(law->params, b.config);
    else
        law_use(law->params, b.config, preset);
    weir_param_resolve_bdp(law->params, b.config, path.bdp_bytes);
    weir_param_resolve_rtt(law->params, b.config, path.base_rtt_ps);
    if (law->check == NULL || law->check(b.config, &path, &err) == 0) {
        find_limits(&b);
        law->cc->init(b.cc, b.config, &path);
        b.ack.now_ps = UINT64_C(77000000000);
        for (uint32_t i = 0; i < STEPS; i++) {
            give_ack(&b, i);
            if (i % 97 == 96 && law->cc->on_loss != NULL)
                give_loss(&b, i / 97);
            if (i % 31 == 30)
                run_timer(&b, i / 31);
        }
        try_checks(&b);
    }
    free(b.config);
    free(b.cc);
    return b.answers;
}

static uint64_t recorded(const char *name, uint32_t preset)
{
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
        if (strcmp(laws[i].name, name) == 0)
            return laws[i].answers[preset];
    return 0;
}

/* Prints the line for edges.inc where a number is another. */
static void every_law_answers_as_recorded_near_its_limits(void **state)
{
    uint32_t different = 0;
    (void)state;
    for (const struct weir_protocol *law = weir_protocols; law->name != NULL; law++) {
        uint64_t is[PRESETS_MAX] = { 0 };
        uint32_t presets = 0;
        bool same = true;
        for (uint32_t i = 0; law->cc != NULL && law->cc->on_ack != NULL && i < PRESETS_MAX; i++) {
            const struct weir_preset *preset = i > 0 ? &law->presets[i - 1] : NULL;
            if (i > 0 && (law->presets == NULL || preset->name == NULL))
                break;
            is[i] = lead(law, preset);
            same = same && is[i] == recorded(law->name, i);
            presets = i + 1;
        }
        if (same)
            continue;
        different++;
        print_message("{ \"%s\", {", law->name);
        for (uint32_t i = 0; i < presets; i++)
            print_message(" 0x%016" PRIx64 ",", is[i]);
        print_message(" } },\n");
    }
    assert_int_equal(different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_law_answers_as_recorded_near_its_limits) };
    return cmocka_run_group_tests_name("proto/edges", tests, NULL, NULL);
}
