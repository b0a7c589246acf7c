/* test/twin/host_frames.c - see host_frames.h. */
#include "test/unit/weir_test.h"
#include "test/twin/host_frames.h"
#include "config/scenario.h"
#include "engine/sim.h"
#include "test/oracle/frames.h"

struct taken {
    const struct weir_model *model;
    struct host_frames *out;
    size_t most, room;
    int stop;
};

static void *take_memory(void *ctx, size_t size)
{
    (void)ctx;
    return calloc(1, size);
}

static int take_rows(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct taken *t = ctx;
    struct host_frames *out = t->out;
    for (size_t i = 0; i < count && out->count + out->unmade < t->most; i++) {
        uint32_t host = t->model->topo->link[row[i].link].src;
        uint64_t own;
        if (row[i].is_control || (row[i].event != WEIR_PACKET_SENT && row[i].event != WEIR_PACKET_LOST))
            continue;
        (void)frames_send(out->made, &row[i].pkt, &own);
        if (own == 0) {
            out->unmade++;
            continue;
        }
        if (out->count == t->room) {
            t->room = t->room == 0 ? 4096 : 2 * t->room;
            out->frame = realloc(out->frame, t->room * sizeof(*out->frame));
            assert_non_null(out->frame);
        }
        out->frame[out->count++] = (struct host_frame){ .at_ps = row[i].at_ps,
                                                        .host = host,
                                                        .length = out->made->kept[own - 1]->length,
                                                        .bytes = out->made->kept[own - 1]->bytes };
    }
    t->stop = out->count + out->unmade >= t->most;
    return 0;
}

int host_frames_of(struct host_frames *out, const struct weir_setup *setup, size_t most, struct weir_err *err)
{
    static const struct weir_mem mem = { .grow = take_memory };
    struct taken taken = { .model = &setup->model, .out = out, .most = most };
    uint8_t *tap = calloc(setup->topo.link_count, 1);
    struct weir_sim_options options = {
        .threads = 1, .packets = take_rows, .packets_ctx = &taken, .tap = tap, .stop = &taken.stop
    };
    struct weir_result result;
    int code;
    *out = (struct host_frames){ .made = malloc(sizeof(*out->made)) };
    if (tap == NULL || out->made == NULL)
        abort();
    frames_begin(out->made, setup, &mem);
    for (uint32_t l = 0; l < setup->topo.link_count; l++)
        tap[l] = setup->topo.link[l].src < setup->topo.host_count ? WEIR_TAP_SENT : 0;
    code = weir_sim_run(&setup->model, &options, &result, err);
    weir_result_free(&result);
    free(tap);
    return code;
}

void host_frames_free(struct host_frames *f)
{
    free(f->made->map.entry);
    frames_end(f->made);
    free(f->made);
    free(f->frame);
    *f = (struct host_frames){ 0 };
}

struct weir_mapping_address host_frames_address(uint32_t host)
{
    return frames_address(host);
}
