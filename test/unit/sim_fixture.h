/* test/unit/sim_fixture.h - a model from scenario text, an engine that is set up but not started, and whole runs.
 * Tests of one part of the engine set it up from text, too, so that ports are those of a run. */
#ifndef WEIR_TEST_SIM_FIXTURE_H
#define WEIR_TEST_SIM_FIXTURE_H
#include "test/unit/weir_test.h"
#include "setup/setup.h"
#include "coupled/coupled.h"
#include "engine/engine.h"
#include "observe/observe.h"
#include "port/port.h"
#include "state/emit.h"
#include "state/fate.h"
#include "state/tap.h"
#include <inttypes.h>
#include <stdlib.h>

/* Two or more hosts on one switch, 800 ps per byte, 2 us of cable: a full frame of 1538 B takes 1230400 ps. */
#define STAR(hosts) "topology: {kind: star, hosts: " hosts ", host_link: 10 Gbps, host_delay: 2 us}\n"
#define PERM(size) "traffic: [{kind: permutation, size: " size "}]\n"
#define RUN_ALL "run: {warmup: 0 us, measure: all}\n"

enum { DELAY_PS = 2000000, FULL_PS = 1230400, ACK_PS = 67200, KB_PS = 800000 }; /* KB_PS: a frame of 1000 bytes */

static struct weir_scenario fix_scn;
static struct weir_setup fix_setup;
static struct weir_sim_options fix_options;
static struct weir_result fix_result;
static struct weir_err fix_err;
static struct sim_engine fix_engine;
static bool fix_has_setup, fix_has_engine;

static inline int fix_begin(void **state)
{
    (void)state;
    fix_options = (struct weir_sim_options){ .threads = 1, .check = true };
    fix_has_setup = fix_has_engine = false;
    return 0;
}

static inline int fix_end(void **state)
{
    (void)state;
    weir_result_free(&fix_result);
    if (fix_has_engine)
        weir_sim_engine_free(&fix_engine);
    if (fix_has_setup) {
        weir_setup_free(&fix_setup);
        weir_scenario_free(&fix_scn);
    }
    return 0;
}

/* Makes a model of the text; a test may change it before it runs. */
static inline struct weir_model *fix_model(const char *text)
{
    if (weir_scenario_parse(&fix_scn, "test.yaml", text, strlen(text), NULL, 0, &fix_err) != 0 ||
        weir_setup_init(&fix_setup, &fix_scn, &fix_err) != 0)
        fail_msg("%s:%" PRIu32 ":%" PRIu32 ": %s", fix_err.file, fix_err.line, fix_err.col, fix_err.text);
    fix_has_setup = true;
    return &fix_setup.model;
}

/* Makes an engine for the text, before its first window. @return thread 0 */
static inline struct sim_thread *fix_make(const char *text)
{
    const struct weir_model *model = fix_model(text);
    assert_int_equal(weir_sim_engine_init(&fix_engine, model, &fix_options, &fix_err), 0);
    fix_has_engine = true;
    return &fix_engine.thread[0];
}

/* Runs the model of fix_model(). @return the code of weir_sim_run() */
static inline int fix_run_model(void)
{
    weir_result_free(&fix_result);
    return weir_sim_run(&fix_setup.model, &fix_options, &fix_result, &fix_err);
}

static inline const struct weir_result *fix_run(const char *text)
{
    (void)fix_model(text);
    if (fix_run_model() != 0)
        fail_msg("%s", fix_err.text);
    return &fix_result;
}

static inline struct sim_switch *fix_switch(uint32_t index)
{
    return &fix_engine.sw[index];
}

/* Returns the port of the index-th switch that leads to a neighbour. */
static inline struct sim_link *fix_port(uint32_t index, uint32_t neighbour)
{
    const struct sim_switch *sw = fix_switch(index);
    for (uint32_t i = 0; i < sw->out_count; i++)
        if (fix_engine.link[sw->first_out + i].dst == neighbour)
            return &fix_engine.link[sw->first_out + i];
    fail_msg("no such port");
    return NULL;
}

static inline struct weir_pkt fix_pkt(uint16_t dst, uint16_t wire_bytes, uint32_t seq)
{
    return (struct weir_pkt){ .dst = dst, .wire_bytes = WEIR_PKT_BYTES(wire_bytes), .seq = seq };
}

/* Lets a packet join a switch's port at now, while others may come at that instant. @return false = it was dropped */
static inline bool fix_join(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps)
{
    return sim_port_put(th, link, fix_switch(0), pkt, now_ps, false);
}

#define fix_kind_is(link, ...) assert_true(sim_kind_is((link)->kind, (struct sim_port_kind){ __VA_ARGS__ }))

/* Puts a packet on a link, as if its source had sent it. */
static inline void fix_fly(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                           uint64_t arrival_ps)
{
    sim_copy_body(link->write[SIM_LANE_FIRST], pkt);
    sim_emit(th, link, arrival_ps);
}

/* Returns the next packet in the first FIFO of a link; NULL = no more. *at: NULL = from the oldest on */
static inline const struct weir_pkt *fix_next(const struct sim_link *link, const struct weir_pkt **at)
{
    const struct weir_pkt *now = *at != NULL && sim_fifo_is_made(*at) ? *at : link->read[SIM_LANE_FIRST];
    if (now == link->write[SIM_LANE_FIRST] || !sim_fifo_is_made(link->write[SIM_LANE_FIRST]))
        return NULL;
    *at = sim_fifo_skip((struct weir_pkt *)(uintptr_t)now, 1);
    return now;
}

/* Returns the next packet in the lower lane that was decided on; as fix_next(). */
static inline const struct weir_pkt *fix_next_low(const struct sim_link *link, const struct weir_pkt **at)
{
    const struct weir_pkt *now = *at != NULL ? *at : link->read[SIM_LANE_LOW];
    if (now == link->undecided || link->undecided == NULL)
        return NULL;
    *at = sim_fifo_skip((struct weir_pkt *)(uintptr_t)now, 1);
    return now;
}

static inline uint32_t fix_count(const struct sim_link *link)
{
    const struct weir_pkt *at = NULL, *low = NULL;
    uint32_t n = 0;
    while (fix_next(link, &at) != NULL)
        n++;
    while (fix_next_low(link, &low) != NULL)
        n++;
    return n;
}

/* Asserts the packets on a link: seq and arrival of each, in order. */
static inline void fix_on_wire(const struct sim_link *link, const uint32_t *seq, const uint64_t *arrival_ps,
                               uint32_t count)
{
    const struct weir_pkt *at = NULL, *pkt;
    for (uint32_t i = 0; i < count; i++) {
        pkt = fix_next(link, &at);
        assert_non_null(pkt);
        assert_int_equal(pkt->seq, seq[i]);
        assert_int_equal(pkt->arrival_ps, arrival_ps[i]);
    }
    assert_null(fix_next(link, &at));
}
#endif
