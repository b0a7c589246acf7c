/* test/unit/solve/test_lp.c - the solver against linear programs, which know nothing of filling or bottlenecks.
 * Lexicographic weighted max-min by the definition: the largest level t that all open flows can have at once, r_f >= w_f t;
 * then each open flow for which no allocation with all others at that level or above has more is fixed, and so on with the rest. */
#include "test/unit/solve/solve_fixture.h"
#include "core/rng.h"
#include <glpk.h>
#include <stdlib.h>
#include <string.h>

enum { NETWORKS = 200, LINKS_MAX = 8, FLOWS_MAX = 10 };

static struct fixture x;

static double uniform(struct weir_rng *rng)
{
    return (double)(weir_rng_next(rng) >> 11) * 0x1p-53;
}

/* Weights over two decades, capacities over one, every other network with parts of links, some flows with a cap. */
static void random_network(struct weir_rng *rng)
{
    double capacity[LINKS_MAX];
    uint32_t link_count = 1 + weir_rng_below(weir_rng_next(rng), LINKS_MAX);
    uint32_t flow_count = 1 + weir_rng_below(weir_rng_next(rng), FLOWS_MAX);
    bool split = weir_rng_next(rng) & 1;
    for (uint32_t l = 0; l < link_count; l++)
        capacity[l] = pow(10, uniform(rng));
    links(&x, link_count, capacity);
    x.p.share = split ? x.share : NULL;
    for (uint32_t f = 0; f < flow_count; f++) {
        uint32_t begin = weir_rng_below(weir_rng_next(rng), link_count);
        flow(&x, pow(10, 2 * uniform(rng) - 1));
        for (uint32_t l = begin; l < link_count; l++)
            if (l == begin || uniform(rng) < 0.4)
                use(&x, l, split ? 0.1 + 0.9 * uniform(rng) : 1);
        if (uniform(rng) < 0.15)
            cap(&x, uniform(rng));
    }
}

struct program {
    glp_prob *lp;
    bool fixed[FLOWS_MAX];
    double rate[FLOWS_MAX]; /* of those */
};

/* Columns 1 .. flows: rates. Rows: links. */
static void begin(struct program *p)
{
    p->lp = glp_create_prob();
    glp_set_obj_dir(p->lp, GLP_MAX);
    glp_add_rows(p->lp, (int)(x.p.link_count + x.p.flow_count)); /* behind the links: r_f - w_f t >= 0 */
    glp_add_cols(p->lp, (int)x.p.flow_count + 1);                /* the last one: t */
    for (uint32_t l = 0; l < x.p.link_count; l++)
        glp_set_row_bnds(p->lp, (int)l + 1, GLP_UP, 0, x.capacity[l]);
    glp_set_col_bnds(p->lp, (int)x.p.flow_count + 1, GLP_LO, 0, 0);
    for (uint32_t f = 0; f < x.p.flow_count; f++) {
        int row[LINKS_MAX + 2];
        double part[LINKS_MAX + 2];
        int n = 0;
        for (uint32_t u = x.first[f]; u < x.first[f + 1]; u++) {
            row[++n] = (int)x.link[u] + 1;
            part[n] = x.p.share != NULL ? x.share[u] : 1;
        }
        row[++n] = (int)(x.p.link_count + f) + 1;
        part[n] = 1;
        glp_set_mat_col(p->lp, (int)f + 1, n, row, part);
    }
}

static double maximise(struct program *p, uint32_t column)
{
    glp_smcp how;
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    how.tol_bnd = how.tol_dj = 1e-10;
    for (uint32_t f = 0; f <= x.p.flow_count; f++)
        glp_set_obj_coef(p->lp, (int)f + 1, f == column);
    glp_std_basis(p->lp);
    assert_int_equal(glp_simplex(p->lp, &how), 0);
    assert_int_equal(glp_get_status(p->lp), GLP_OPT);
    return glp_get_obj_val(p->lp);
}

/* The rows and columns of the flows, for open ones with r_f >= w_f t where level < 0, else r_f >= w_f level. */
static void bounds(struct program *p, double level)
{
    int row[FLOWS_MAX + 1], n = 0;
    double part[FLOWS_MAX + 1];
    for (uint32_t f = 0; f < x.p.flow_count; f++) {
        int flow_row = (int)(x.p.link_count + f) + 1;
        double least = p->fixed[f] || level < 0 ? 0 : x.weight[f] * level;
        if (p->fixed[f])
            glp_set_col_bnds(p->lp, (int)f + 1, GLP_FX, p->rate[f], p->rate[f]);
        else if (x.p.cap != NULL && !isinf(x.cap[f]))
            glp_set_col_bnds(p->lp, (int)f + 1, GLP_DB, 0, x.cap[f] + 1e-300);
        else
            glp_set_col_bnds(p->lp, (int)f + 1, GLP_LO, 0, 0);
        glp_set_row_bnds(p->lp, flow_row, GLP_LO, least * (1 - 1e-12), 0);
        if (!p->fixed[f] && level < 0) {
            row[++n] = flow_row;
            part[n] = -x.weight[f];
        }
    }
    glp_set_mat_col(p->lp, (int)x.p.flow_count + 1, n, row, part);
}

static void compare(const struct program *p, uint32_t network)
{
    for (uint32_t f = 0; f < x.p.flow_count; f++)
        if (!(fabs(x.rate[f] - p->rate[f]) <= 1e-6 * fmax(x.rate[f], p->rate[f])))
            fail_msg("network %u, flow %u: %.12g, and the linear program says %.12g", network, f, x.rate[f],
                     p->rate[f]);
}

static void fix_all(struct program *p)
{
    for (uint32_t left = x.p.flow_count; left > 0;) {
        uint32_t before = left;
        bool stuck[FLOWS_MAX] = { false };
        double level;
        bounds(p, -1);
        level = maximise(p, x.p.flow_count);
        bounds(p, level);
        for (uint32_t f = 0; f < x.p.flow_count; f++)
            stuck[f] = !p->fixed[f] && maximise(p, f) <= x.weight[f] * level * (1 + 1e-7);
        for (uint32_t f = 0; f < x.p.flow_count; f++)
            if (stuck[f]) {
                p->fixed[f] = true;
                p->rate[f] = x.weight[f] * level;
                left--;
            }
        assert_true(left < before);
    }
}

static void rates_are_those_of_linear_programs(void **state)
{
    struct weir_rng rng = { .key = weir_rng_key(6, 0, WEIR_RNG_TEST, 0) };
    (void)state;
    (void)glp_term_out(GLP_OFF);
    for (uint32_t i = 0; i < NETWORKS; i++) {
        struct program p = { 0 };
        random_network(&rng);
        solve(&x);
        begin(&p);
        fix_all(&p);
        compare(&p, i);
        glp_delete_prob(p.lp);
    }
    (void)glp_free_env();
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rates_are_those_of_linear_programs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
