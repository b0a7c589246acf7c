/* test/oracle/cover.c - which protocols, switch features and important choices occurred in the scenarios that ran. Protocols and features
 * are those of the registry: a new one counts as missing until some scenario has it. */
#include "core/feature.h"
#include "features/codel/codel.h"
#include "features/int/int.h"
#include "features/maxqd/maxqd.h"
#include "features/pfc/pfc.h"
#include "features/phantom/phantom.h"
#include "features/deflect/deflect.h"
#include "features/rpm/rpm.h"
#include "features/wrr/wrr.h"
#include "registry.h"
#include "hooks/features.h"
#include "test/oracle/twin.h"
#include "topology/route.h"
#include <stdlib.h>

struct seen { /* the choices of one scenario, always in the same order */
    struct twin_cover *cover;
    const struct weir_setup *setup;
    uint32_t count;
};

static void see(struct seen *s, const char *choice, bool occurs)
{
    struct twin_cover *cover = s->cover;
    if (s->count == cover->choices) { /* the first scenario lists them */
        cover->choice = realloc(cover->choice, (cover->choices + 1) * sizeof(*cover->choice));
        WEIR_ASSERT(cover->choice != NULL);
        cover->choice[cover->choices++] = (struct twin_choice){ .name = choice };
    }
    cover->choice[s->count++].count += occurs;
}

/* The model of a feature; NULL = it is not on. */
static const void *model_of(const struct seen *s, const struct weir_feature *row)
{
    const struct weir_feature_on *on = weir_features_find(&s->setup->model.features, row->name);
    return on != NULL ? on->model : NULL;
}

static void see_features(struct seen *s)
{
    const struct weir_pfc_model *pfc = model_of(s, &weir_pfc_feature);
    const struct weir_codel_model *codel = model_of(s, &weir_codel_feature);
    const struct weir_rpm_model *rpm = model_of(s, &weir_rpm_feature);
    const struct weir_deflect_model *deflect = model_of(s, &weir_deflect_feature);
    const struct weir_int_model *t = model_of(s, &weir_int_feature);
    const struct weir_maxqd_model *maxqd = model_of(s, &weir_maxqd_feature);
    const struct weir_phantom_model *phantom = model_of(s, &weir_phantom_feature);
    const struct weir_wrr_model *wrr = model_of(s, &weir_wrr_feature);
    see(s, "static PFC", pfc != NULL && pfc->is_static);
    see(s, "dynamic PFC", pfc != NULL && !pfc->is_static);
    see(s, "CoDel p4", codel != NULL && codel->variant == WEIR_CODEL_P4);
    see(s, "CoDel rfc8289", codel != NULL && codel->variant == WEIR_CODEL_RFC8289);
    see(s, "CoDel at hosts", codel != NULL && codel->at != WEIR_AT_SWITCHES);
    see(s, "RPM by flow", rpm != NULL && rpm->entries > 0);
    see(s, "RPM by port", rpm != NULL && rpm->entries == 0);
    see(s, "RPM with CoDel", rpm != NULL && codel != NULL);
    see(s, "deflection with PFC", deflect != NULL && pfc != NULL);
    see(s, "two virtual lanes", s->setup->model.aged_classes == 2);
    see(s, "escape from a paused lane", s->setup->model.escapes);
    see(s, "a virtual lane for each token", deflect != NULL && deflect->lane_each);
    see(s, "deflection at the last hop", deflect != NULL && deflect->last_hop);
    see(s, "telemetry in data, exact", t != NULL && !t->into_acks && !t->quantised);
    see(s, "telemetry in data, quantised", t != NULL && !t->into_acks && t->quantised);
    see(s, "telemetry in ACKs, exact", t != NULL && t->into_acks && !t->quantised);
    see(s, "telemetry in ACKs, quantised", t != NULL && t->into_acks && t->quantised);
    see(s, "telemetry read at a period", t != NULL && t->period_ps > 0);
    see(s, "queueing delays of hosts", maxqd != NULL && maxqd->at != WEIR_AT_SWITCHES);
    see(s, "delays of virtual queues in data", phantom != NULL && !phantom->into_acks);
    see(s, "delays of virtual queues in ACKs", phantom != NULL && phantom->into_acks);
    see(s, "a queue per flow", wrr != NULL && wrr->kind == WEIR_QUEUE_PER_FLOW);
    see(s, "queues of groups", wrr != NULL && wrr->kind == WEIR_QUEUE_GROUPS);
    see(s, "another order of features", s->setup->scn->fabric.order[0] != '\0');
}

static bool has_traffic(const struct weir_scenario *scn, uint32_t kind)
{
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        if (scn->traffic[i].kind == kind)
            return true;
    return false;
}

static void see_sections(struct seen *s)
{
    const struct weir_scenario *scn = s->setup->scn;
    const struct weir_topology_config *topo = &scn->topology;
    see(s, "routing: ecmp", scn->routing.mode == WEIR_ROUTE_ECMP);
    see(s, "routing: symmetric", scn->routing.mode == WEIR_ROUTE_SYMMETRIC);
    see(s, "routing: spray", scn->routing.mode == WEIR_ROUTE_SPRAY);
    see(s, "routing: trees", scn->routing.mode == WEIR_ROUTE_TREES);
    see(s, "metric: delay", scn->routing.metric == WEIR_METRIC_DELAY);
    for (uint32_t kind = 0; weir_topology_kinds[kind] != NULL; kind++)
        if (kind != WEIR_PLANES && kind != WEIR_RAIL) /* test_twin.c draws them apart */
            see(s, weir_topology_kinds[kind], topo->kind == kind);
    see(s, "fat-tree of five keys", topo->kind == WEIR_FAT_TREE && topo->pods > 0);
    for (uint32_t kind = 0; weir_traffic_kinds[kind] != NULL; kind++)
        if (kind != WEIR_TRAFFIC_SESSION && kind != WEIR_TRAFFIC_CHAKRA) /* test/unit/session; test_traces */
            see(s, weir_traffic_kinds[kind], has_traffic(scn, kind));
    see(s, "weights", s->setup->workload.weighted);
    see(s, "run.start: allocation", scn->run.start == WEIR_START_ALLOCATION);
    see(s, "measure: all", s->setup->model.until_done);
    see(s, "nic_queue: pull", scn->host.nic_queue == WEIR_NIC_PULL);
    see(s, "nic_queue: unlimited", scn->host.nic_queue == WEIR_NIC_UNLIMITED);
    see(s, "nic_schedule: weighted, with weights",
        scn->host.nic_schedule == WEIR_NIC_WEIGHTED && s->setup->workload.weighted);
    see(s, "nic_rate", scn->host.nic_rate_ppm < 1000000);
    see(s, "reliability: go-back-n", scn->host.reliability == WEIR_GO_BACK_N);
    see(s, "reliability: newreno", scn->host.reliability == WEIR_NEWRENO);
    see(s, "ecn: rfc3168", scn->host.ecn == WEIR_ECN_RFC3168);
    see(s, "handshake", scn->host.handshake != 0);
    see(s, "short messages first", scn->host.short_bytes != 0);
    see(s, "overhead", scn->host.overhead_ps != 0);
    see(s, "delayed ACKs", scn->host.ack_every > 1);
}

/* Takes room for the rows of the registry, once. */
static void make_room(struct twin_cover *cover)
{
    uint32_t protocols = 0, features = weir_features_rows();
    if (cover->protocol != NULL)
        return;
    while (weir_protocols[protocols].name != NULL)
        protocols++;
    cover->protocol = calloc(protocols, sizeof(*cover->protocol));
    cover->skipped = calloc(protocols, sizeof(*cover->skipped));
    cover->feature = calloc(features, sizeof(*cover->feature));
    WEIR_ASSERT(cover->protocol != NULL && cover->skipped != NULL && cover->feature != NULL);
}

void twin_cover_add(struct twin_cover *cover, const struct weir_setup *setup, bool skipped)
{
    struct seen s = { .cover = cover, .setup = setup };
    make_room(cover);
    for (uint32_t i = 0; weir_protocols[i].name != NULL; i++)
        if (&weir_protocols[i] == setup->scn->protocol) {
            cover->protocol[i]++;
            cover->skipped[i] += skipped;
        }
    for (uint32_t i = 0; weir_features[i] != NULL; i++)
        cover->feature[i] += weir_features_find(&setup->model.features, weir_features[i]->name) != NULL;
    see_features(&s);
    see_sections(&s);
}

static uint32_t print_count(const char *what, const char *name, uint32_t count)
{
    (void)printf("  %s %s: %u\n", what, name, (unsigned)count);
    if (count == 0)
        (void)fprintf(stderr, "  %s %s did not occur in any scenario that ran\n", what, name);
    return count == 0;
}

uint32_t twin_cover_print(struct twin_cover *cover)
{
    uint32_t missing = 0;
    make_room(cover);
    for (uint32_t i = 0; weir_protocols[i].name != NULL; i++)
        missing += print_count("protocol", weir_protocols[i].name, cover->protocol[i]);
    for (uint32_t i = 0; weir_features[i] != NULL; i++)
        missing += print_count("feature", weir_features[i]->name, cover->feature[i]);
    for (uint32_t i = 0; i < cover->choices; i++)
        missing += print_count("choice", cover->choice[i].name, cover->choice[i].count);
    return missing;
}

void twin_cover_print_skipped(struct twin_cover *cover)
{
    make_room(cover);
    for (uint32_t i = 0; weir_protocols[i].name != NULL; i++)
        if (cover->protocol[i] > 0)
            (void)printf("  %s: %u of %u cases skipped something\n", weir_protocols[i].name,
                         (unsigned)cover->skipped[i], (unsigned)cover->protocol[i]);
}

void twin_cover_free(struct twin_cover *cover)
{
    free(cover->choice);
    free(cover->protocol);
    free(cover->skipped);
    free(cover->feature);
}
