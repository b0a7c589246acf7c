/* test/prop/test_incremental.c - rates that follow random changes are those of solving anew: on random networks, after each change, at
 * each `within`. What a change reports is what differs. Seeds are fixed.
 * usage: test_incremental [--seed N --count N]   prints the largest distances of N networks */
#include "test/unit/weir_test.h"
#include "solve/incremental.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS = 12, FLOWS = 400, PATH = 5, CHANGES = 60 };

static uint64_t draws;
static double rate_before[FLOWS];
static struct weir_incremental_effect effect;

static uint64_t draw(uint64_t below)
{
    draws ^= draws << 13, draws ^= draws >> 7, draws ^= draws << 17;
    return draws % below;
}

static double draw_weight(void)
{
    static const double weight[] = { 1, 1, 1, 2, 0.5, 10, 1e-3, 1e4 };
    return draw(4) == 0 ? weight[draw(8)] : 1 + (double)draw(1000) / 500;
}

struct path {
    uint32_t link[PATH], count;
    double share[PATH];
};

/* Different links; parts, if there are, may be of one link twice. */
static void draw_path(struct path *p, uint32_t links, bool parts)
{
    p->count = 0;
    for (uint64_t wanted = draw(PATH) + (draw(20) != 0); p->count < wanted;) {
        uint32_t link = (uint32_t)draw(links);
        bool seen = false;
        for (uint32_t i = 0; i < p->count; i++)
            seen |= p->link[i] == link;
        if (seen && !parts)
            wanted--;
        else
            p->link[p->count++] = link;
    }
    for (uint32_t i = 0; i < p->count; i++)
        p->share[i] = parts ? (double)(draw(4) + 1) / 4 : 1;
}

static int add(struct weir_incremental *inc, uint32_t links, bool parts, struct weir_err *err)
{
    struct path p;
    draw_path(&p, links, parts);
    return weir_incremental_add(inc, draw_weight(), p.link, parts ? p.share : NULL, p.count, &effect, err);
}

static uint32_t pick(const struct weir_incremental *inc, uint32_t flows)
{
    for (uint32_t tries = 0; tries < 1000; tries++) {
        uint32_t f = (uint32_t)draw(flows);
        if (weir_incremental_has(inc, f))
            return f;
    }
    return UINT32_MAX;
}

static void keep_rates(const struct weir_incremental *inc, uint32_t flows)
{
    memset(rate_before, 0, sizeof(rate_before));
    for (uint32_t f = 0; f < flows; f++)
        rate_before[f] = weir_incremental_rate(inc, f);
}

/* What the change reports: all flows that differ, each once, with its rate before. */
static void check_report(const struct weir_incremental *inc, uint32_t flows, uint32_t named)
{
    uint32_t differ = 0;
    double largest = 0;
    for (uint32_t f = 0; f < flows; f++) {
        double now = weir_incremental_rate(inc, f), before = rate_before[f];
        if (now >= before && now <= before)
            continue;
        differ++;
        if (f != named)
            largest = fmax(largest, fabs(now - before) / fmax(now, before));
    }
    assert_int_equal(effect.flows, differ);
    assert_true(effect.largest >= largest && effect.largest <= largest);
    for (uint32_t i = 0; i < effect.flows; i++) {
        double before = rate_before[effect.moved[i].flow];
        assert_true(effect.moved[i].before >= before && effect.moved[i].before <= before);
    }
}

struct worst {
    double difference, gap; /* in units of `within` */
    uint64_t changes, solved, far;
};

/* Rates are checked by their definition, which knows nothing of the solver. */
static void check_rates(const struct weir_incremental *inc, double within, struct worst *worst)
{
    struct weir_incremental_difference difference;
    struct weir_incremental_list list;
    struct weir_err err;
    double gap;
    assert_int_equal(weir_incremental_compare(inc, &difference, &err), 0);
    assert_int_equal(weir_incremental_list(inc, &list, &err), 0);
    assert_int_equal(weir_maxmin_gap(&list.problem, list.rate, &gap, &err), 0);
    weir_incremental_list_free(&list);
    worst->difference = fmax(worst->difference, difference.largest / within);
    worst->gap = fmax(worst->gap, gap / within);
    worst->far += difference.largest > 10 * within;
    worst->changes++;
    worst->solved += effect.solved;
}

static void change(struct weir_incremental *inc, uint32_t *flows, uint32_t links, bool parts)
{
    struct weir_err err;
    uint64_t kind = draw(3);
    uint32_t f = *flows > 0 ? pick(inc, *flows) : UINT32_MAX;
    int code;
    keep_rates(inc, *flows);
    if (kind == 0 || f == UINT32_MAX) {
        code = add(inc, links, parts, &err);
        f = (*flows)++;
    } else if (kind == 1) {
        code = weir_incremental_remove(inc, f, &effect, &err);
        assert_false(weir_incremental_has(inc, f));
    } else {
        code = weir_incremental_weigh(inc, f, draw_weight(), &effect, &err);
    }
    assert_int_equal(code, 0);
    check_report(inc, *flows, f);
}

static void one_network(uint64_t seed, double within, struct worst *worst)
{
    double capacity[LINKS];
    uint32_t links, flows = 0, first = 0;
    struct weir_err err;
    draws = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    links = 1 + (uint32_t)draw(LINKS);
    bool parts = draw(3) == 0, equal = draw(3) == 0;
    for (uint32_t l = 0; l < links; l++)
        capacity[l] = draw(30) == 0 ? 0 : equal ? 100 : 1 + (double)draw(1000);
    const struct weir_maxmin_problem empty = { .link_count = links, .capacity = capacity, .first = &first };
    struct weir_incremental *inc = weir_incremental_new(&empty, within, &err);
    assert_non_null(inc);
    for (uint64_t n = draw(60); flows < n; flows++)
        assert_int_equal(add(inc, links, parts, &err), 0);
    for (uint32_t i = 0; i < CHANGES; i++) {
        change(inc, &flows, links, parts);
        check_rates(inc, within, worst);
    }
    weir_incremental_free(inc);
}

static void rates_are_those_of_solving_anew(void **state)
{
    static const double within[] = { 1e-9, 1e-6, 1e-4 };
    (void)state;
    for (size_t w = 0; w < 3; w++) {
        struct worst worst = { 0 };
        for (uint64_t seed = 1; seed <= 300; seed++)
            one_network(seed, within[w], &worst);
        if (worst.far > 0 || worst.gap > 2)
            fail_msg("within %g: %.3g times that from solving anew, %.3g from the definition", within[w],
                     worst.difference, worst.gap);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_of_solving_anew),
    };
    if (argc < 5)
        return cmocka_run_group_tests_name("prop/incremental", tests, NULL, NULL);
    uint64_t seed = strtoull(argv[2], NULL, 10), count = strtoull(argv[4], NULL, 10);
    static const double within[] = { 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3 };
    for (size_t w = 0; w < sizeof(within) / sizeof(within[0]); w++) {
        struct worst worst = { 0 };
        for (uint64_t i = 0; i < count; i++)
            one_network(seed + i, within[w], &worst);
        (void)printf("within %g: %" PRIu64 " changes, %" PRIu64
                     " solved anew; largest difference %.3g, gap %.3g of within; %" PRIu64 " beyond ten\n",
                     within[w], worst.changes, worst.solved, worst.difference, worst.gap, worst.far);
    }
    return 0;
}
