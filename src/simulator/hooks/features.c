/* src/simulator/hooks/features.c - see features.h. */
#include "hooks/features.h"
#include "core/assert.h"
#include "core/cause.h"
#include "core/feature.h"
#include <stdio.h>
#include <string.h>

enum { LIST = 256 };

/* Returns the feature whose name is the first `length` bytes of `name`; NULL = no such feature is on. */
static const struct weir_feature_on *find(const struct weir_features *features, const char *name, size_t length)
{
    for (uint32_t i = 0; i < features->count; i++) {
        const char *own = features->on[i].row->name;
        if (strlen(own) == length && strncmp(own, name, length) == 0)
            return &features->on[i];
    }
    return NULL;
}

const struct weir_feature_on *weir_features_find(const struct weir_features *features, const char *name)
{
    return find(features, name, strlen(name));
}

void weir_features_add(struct weir_features *features, const struct weir_feature *row, const void *model,
                       const struct weir_feature_plan *plan)
{
    WEIR_ASSERT(features->count < features->room);
    WEIR_ASSERT((row->on_timer != NULL) == (plan->period_ps > 0));
    WEIR_ASSERT(plan->event_count == 0 || (row->cuts && weir_feature_rules(row) >= WEIR_CUT_RULES));
    WEIR_ASSERT(row->on_timer == NULL || row->on_cut == NULL);
    features->on[features->count++] = (struct weir_feature_on){ .row = row,
                                                                .model = model,
                                                                .period_ps = plan->period_ps,
                                                                .lanes = plan->lanes,
                                                                .other_port_kinds = plan->other_port_kinds,
                                                                .skips_joined = plan->skips_joined,
                                                                .late_start = plan->late_start,
                                                                .coupled = plan->coupled,
                                                                .node_bytes = plan->node_bytes,
                                                                .warning = plan->warning,
                                                                .offers = plan->offers,
                                                                .laws = plan->laws != 0 ? plan->laws : WEIR_LAWS_ALL };
    features->lossless |= plan->lossless;
    if (plan->records_max > features->records_max)
        features->records_max = plan->records_max;
}

bool weir_feature_has_hooks(const struct weir_feature *row)
{
    return row->admit != NULL || row->on_join != NULL || row->on_dequeue != NULL || row->on_start != NULL ||
           row->queue_of != NULL || row->gate != NULL || row->on_joined != NULL || row->on_sent != NULL ||
           row->on_dropped != NULL || row->on_control != NULL || row->closed != NULL || row->on_timer != NULL ||
           row->on_cut != NULL || row->on_arrive != NULL || row->on_mark != NULL || row->on_forward != NULL ||
           row->on_escape != NULL || row->on_end != NULL;
}

bool weir_feature_has_control(const struct weir_feature *row)
{
    return row->on_control != NULL || row->closed != NULL || row->on_cut != NULL;
}

bool weir_features_have_control(const struct weir_features *features)
{
    for (uint32_t i = 0; i < features->count; i++)
        if (weir_feature_has_control(features->on[i].row))
            return true;
    return false;
}

static bool is_coupled(const struct weir_feature_on *on)
{
    return on->coupled || on->row->when == WEIR_WHEN_COUPLED;
}

bool weir_features_are_coupled(const struct weir_features *features)
{
    for (uint32_t i = 0; i < features->count; i++)
        if (is_coupled(&features->on[i]))
            return true;
    return false;
}

bool weir_features_are_coupled_at(const struct weir_features *features, uint32_t node)
{
    for (uint32_t i = 0; i < features->count; i++)
        if (is_coupled(&features->on[i]) && weir_feature_at(&features->on[i], node).on)
            return true;
    return false;
}

bool weir_features_admit(const struct weir_features *features)
{
    for (uint32_t i = 0; i < features->count; i++)
        if (features->on[i].row->admit != NULL)
            return true;
    return false;
}

static const char leave_one[] = "leave one of the two out; if the protocol asks for it, set another protocol.name";

/* The part of a packet that credit needs, as an extension: the length of the message, and how much of it goes without
 * credit. */
static const struct weir_extension of_credit = {
    .name = "lengths of messages",
    .parts = WEIR_PART_VALUE | WEIR_PART_DELAY,
    .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_REQUEST) | WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) | WEIR_PKT_KIND_BIT(WEIR_PKT_ABORT),
};

static const char *title_of(const struct weir_feature *row)
{
    return row->title != NULL ? row->title : row->name;
}

/* Tests whether packets would carry the values of two features in the same field. Features that write into packets of
 * different laws do not meet, but for WEIR_PART_BYTE: the engine reads it as a number of records in any packet. */
static bool extensions_meet(const struct weir_feature_on *a, const struct weir_feature_on *b)
{
    if (!weir_extensions_meet(a->row->extension, b->row->extension))
        return false;
    return a->laws == 0 || b->laws == 0 || (a->laws & b->laws) != 0 ||
           (a->row->extension->parts & b->row->extension->parts & WEIR_PART_BYTE) != 0;
}

/* Refuses pairs of features whose values packets would carry in the same field. @return 0, or WEIR_E_CONFLICT with
 * err */
static int check_extensions(const struct weir_features *features, const struct weir_tok *where, struct weir_err *err)
{
    for (uint32_t i = 0; i < features->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct weir_feature *a = features->on[i].row, *b = features->on[j].row;
            if (extensions_meet(&features->on[i], &features->on[j]))
                return weir_fail(err, WEIR_E_CONFLICT, where, leave_one,
                                 "fabric: %s and %s exclude each other: packets carry %s where they would carry %s",
                                 title_of(a), title_of(b), b->extension->name, a->extension->name);
        }
    return 0;
}

/* Refuses a feature if another feature that it needs is not on. @return 0, or WEIR_E_CONFLICT with err */
static int check_companions(const struct weir_features *features, const struct weir_tok *where, struct weir_err *err)
{
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature *row = features->on[i].row;
        for (const struct weir_feature_conflict *c = row->companions; c != NULL && c->name != NULL; c++) {
            char hint[LIST];
            if (weir_features_find(features, c->name) != NULL)
                continue;
            (void)snprintf(hint, sizeof(hint), "add fabric.%s, or leave fabric.%s out", c->name, row->name);
            return weir_fail(err, WEIR_E_CONFLICT, where, hint, "fabric: %s are of no use without fabric.%s: %s",
                             title_of(row), c->name, c->why);
        }
    }
    return 0;
}

int weir_feature_check_pair(const struct weir_feature *row, const struct weir_feature *other,
                            const struct weir_tok *where, struct weir_err *err)
{
    for (const struct weir_feature_conflict *c = row->conflicts; c != NULL && c->name != NULL; c++)
        if (strcmp(other->name, c->name) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, where, leave_one, "fabric: %s and %s exclude each other: %s",
                             title_of(row), title_of(other), c->why);
    return 0;
}

int weir_features_check(const struct weir_features *features, const struct weir_tok *where, struct weir_err *err)
{
    int code;
    for (uint32_t i = 0; i < features->count; i++)
        for (uint32_t j = 0; j < features->count; j++)
            if (weir_feature_check_pair(features->on[i].row, features->on[j].row, where, err) != 0)
                return WEIR_E_CONFLICT;
    code = check_extensions(features, where, err);
    return code != 0 ? code : check_companions(features, where, err);
}

/* Returns the protocol of a receiver-driven law that does not suit a feature; NULL = all laws do. laws: those into
 * whose packets the feature writes; 0 = all */
static const char *unsuited(const struct weir_feature *row, const struct weir_fabric_env *env, uint32_t laws)
{
    bool all = (row->host_needs & WEIR_FEATURE_SENDERS_ALONE) != 0;
    bool writes = weir_extensions_meet(row->extension, &of_credit);
    bool some = (row->host_needs & WEIR_FEATURE_NEEDS_SENDERS) != 0;
    for (uint32_t k = 0; k < env->law_count; k++)
        if (env->law[k].receiver_driven && (all || (writes && (laws == 0 || (laws >> k & 1) != 0))))
            return env->law[k].protocol;
    return env->receiver_driven && (all || writes || some) ? env->protocol : NULL;
}

int weir_feature_check_hosts(const struct weir_feature *row, const struct weir_fabric_env *env, uint32_t laws,
                             struct weir_err *err)
{
    char hint[LIST];
    const char *receiver = unsuited(row, env, laws);
    if (receiver != NULL) {
        (void)snprintf(hint, sizeof(hint), "leave fabric.%s out, or set another protocol.name",
                       row->section != NULL  ? row->section
                       : row->params != NULL ? row->params[0].key
                                             : row->list->key);
        return weir_fail(err, WEIR_E_CONFLICT, env->where, hint,
                         "fabric: %s is for sender-driven protocols, and %s is receiver-driven", title_of(row),
                         receiver);
    }
    if (row->when == WEIR_WHEN_COUPLED && !env->nics_pull)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set host.nic_queue: pull",
                         "fabric: %s needs hosts that send one packet at a time, and host.nic_queue is unlimited",
                         title_of(row));
    return 0;
}

/* ---- order ---- */

/* Writes the names of all features with hooks, in their order and separated by commas. out: room for LIST bytes; a
 * longer list is cut off */
static void list_names(const struct weir_features *features, char *out)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < features->count && used < LIST; i++)
        if (weir_feature_has_hooks(features->on[i].row))
            used += (size_t)snprintf(out + used, LIST - used, "%s%s", used > 0 ? ", " : "", features->on[i].row->name);
}

static const char blanks[] = "[], ";

/* Tests whether a name is in the part of the list from `order` up to `end`. */
static bool is_listed(const char *order, const char *end, const char *name, size_t name_length)
{
    for (const char *at = order + strspn(order, blanks); at < end; at += strspn(at, blanks)) {
        size_t length = strcspn(at, blanks);
        if (length == name_length && strncmp(at, name, length) == 0)
            return true;
        at += length;
    }
    return false;
}

/* Refuses fabric.order because of a name that it has or lacks. The hint lists the names that it must have. length:
 * of the name. what: the end of the sentence about the name. @return WEIR_E_CONFLICT, with err */
static int fail_order(const struct weir_features *features, const struct weir_tok *where, struct weir_err *err,
                      const char *name, size_t length, const char *what)
{
    char names[LIST], hint[LIST + 64];
    list_names(features, names);
    (void)snprintf(hint, sizeof(hint), names[0] != '\0' ? "each once, in any order: [%s]" : "leave order out", names);
    return weir_fail(err, WEIR_E_CONFLICT, where, hint, "fabric.order: '%.*s' %s", (int)length, name, what);
}

/* Checks a list for fabric.order: it must have each feature with hooks once, and only names of features that are on.
 * @return 0, or WEIR_E_CONFLICT with err */
static int check_order(const struct weir_features *features, const char *order, const struct weir_tok *where,
                       struct weir_err *err)
{
    for (const char *at = order + strspn(order, blanks); *at != '\0'; at += strspn(at, blanks)) {
        size_t length = strcspn(at, blanks);
        if (find(features, at, length) == NULL)
            return fail_order(features, where, err, at, length, "is not on");
        if (is_listed(order, at, at, length))
            return fail_order(features, where, err, at, length, "is named twice");
        at += length;
    }
    for (uint32_t i = 0; i < features->count; i++) {
        const char *name = features->on[i].row->name;
        if (weir_feature_has_hooks(features->on[i].row) && !is_listed(order, order + strlen(order), name, strlen(name)))
            return fail_order(features, where, err, name, strlen(name), "is on and not in the list");
    }
    return 0;
}

int weir_features_order(struct weir_features *features, const char *order, const struct weir_tok *where,
                        struct weir_err *err)
{
    const char *at = order + strspn(order, blanks);
    uint32_t sorted = 0;
    int code = *at != '\0' ? check_order(features, order, where, err) : 0;
    for (; code == 0 && *at != '\0'; at += strspn(at, blanks)) {
        size_t length = strcspn(at, blanks);
        struct weir_feature_on *first = &features->on[sorted++];
        struct weir_feature_on next = *find(features, at, length);
        size_t before = (size_t)(find(features, at, length) - first); /* the number of features that move up by one */
        WEIR_ASSERT(before < features->count);
        memmove(first + 1, first, before * sizeof(*first));
        *first = next;
        at += length;
    }
    return code;
}
