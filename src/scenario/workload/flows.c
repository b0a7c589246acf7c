/* src/scenario/workload/flows.c - reads a flow list: CSV with the columns src,dst,bytes,start and perhaps weight and
 * group. Calls the readers of the other formats. */
#include "workload/flow_list.h"
#include "core/math.h"
#include "core/rng.h"
#include "param/param.h"
#include "workload/foreign.h"
#include "workload/text.h"
#include <stdlib.h>
#include <string.h>

enum { SRC, DST, BYTES, START, WEIGHT, GROUP, COLUMNS };
static const char *const columns[COLUMNS] = { "src", "dst", "bytes", "start", "weight", "group" };
static const char columns_hint[] =
    "each row is src,dst,bytes,start, for example 3,17,64 KB,12 us; a weight may follow, and then a group";
enum { GROUPS_MAX = 1 << 20 }; /* largest number of a group in a file, plus 1 */
enum { TIME_TEXT = 64 };       /* room for a time as text */
static const struct weir_param start_row[] = {
    /* START is read as the times of scenarios and jobs are */
    WEIR_PARAM_NAMED("start", struct weir_listed, start_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0, columns_hint),
};

struct flow { /* one row of the file */
    struct weir_listed what;
    uint32_t src, group; /* group: number in the file; 0 = no group */
};

struct flow_groups {    /* the groups of a file, by their numbers in the file */
    uint32_t *receiver; /* the receiving host + 1; 0 = no row of the group has been read */
    uint32_t room;
    uint32_t base; /* plan->group before this file: added to the numbers */
};

static int fail_field(const struct weir_csv *csv, uint32_t i, enum weir_err_code code, const char *why,
                      struct weir_err *err)
{
    struct weir_tok tok = weir_csv_tok(csv, i);
    const struct weir_field *field = &csv->field[i];
    return weir_fail(err, code, &tok, columns_hint, "%s = %.*s: %s", columns[i], (int)weir_min_u64(field->length, 40),
                     field->text, why);
}

/* Checks the line of column names. The file may have no such line, but other names, or another order of names, are
 * refused. @return 0, or WEIR_E_SYNTAX with err */
static int check_header(const struct weir_csv *csv, struct weir_err *err)
{
    struct weir_tok tok = weir_csv_tok(csv, 0);
    bool same = csv->field_count >= WEIGHT && csv->field_count <= COLUMNS;
    for (uint32_t i = 0; same && i < csv->field_count; i++)
        same = csv->field[i].length == strlen(columns[i]) &&
               memcmp(csv->field[i].text, columns[i], csv->field[i].length) == 0;
    return same ? 0
                : weir_fail(err, WEIR_E_SYNTAX, &tok, columns_hint,
                            "the header must be src,dst,bytes,start, or that and weight, or that and weight,group");
}

static int read_host(const struct weir_csv *csv, uint32_t i, uint32_t hosts, uint32_t *host, struct weir_err *err)
{
    struct weir_tok tok = weir_csv_tok(csv, i);
    uint64_t value;
    enum weir_text_status status = weir_text_u64(&csv->field[i], &value);
    if (status == WEIR_TEXT_BAD)
        return fail_field(csv, i, WEIR_E_SYNTAX, "not a whole number", err);
    if (status != WEIR_TEXT_OK || value >= hosts)
        return weir_fail(err, WEIR_E_RANGE, &tok, NULL, "host %.*s does not exist: the topology has %u hosts (0 to %u)",
                         (int)weir_min_u64(csv->field[i].length, 40), csv->field[i].text, hosts, hosts - 1);
    *host = (uint32_t)value;
    return 0;
}

static int read_size(const struct weir_csv *csv, uint64_t *bytes, struct weir_err *err)
{
    enum weir_text_status status = weir_text_quantity(&csv->field[BYTES], weir_text_size_units, bytes);
    if (status == WEIR_TEXT_OK)
        return 0;
    enum weir_err_code code = status == WEIR_TEXT_UNIT  ? WEIR_E_UNIT
                              : status == WEIR_TEXT_BAD ? WEIR_E_SYNTAX
                                                        : WEIR_E_RANGE;
    return fail_field(csv, BYTES, code, weir_text_error(status), err);
}

/* Reads the column START into what->start_ps. A number other than 0 without a unit is refused. @return 0, or a code
 * with err */
static int read_start(const struct weir_csv *csv, struct weir_listed *what, struct weir_err *err)
{
    const struct weir_field *field = &csv->field[START];
    struct weir_tok tok = weir_csv_tok(csv, START);
    char text[TIME_TEXT];
    if (field->length >= sizeof(text))
        return fail_field(csv, START, WEIR_E_SYNTAX, "too long for a time", err);
    for (uint32_t i = 0; i < field->length; i++)
        text[i] = (char)(field->text[i] == '\t' ? ' ' : field->text[i]);
    text[field->length] = '\0';
    tok.text = text;
    return weir_param_set(start_row, &tok, what, err);
}

static int read_weight(const struct weir_csv *csv, uint64_t *weight_q20, struct weir_err *err)
{
    *weight_q20 = WEIR_WEIGHT_ONE;
    if (csv->field_count <= WEIGHT)
        return 0;
    enum weir_text_status status = weir_text_q20(&csv->field[WEIGHT], weight_q20);
    if (status != WEIR_TEXT_OK || *weight_q20 < WEIR_WEIGHT_MIN || *weight_q20 > WEIR_WEIGHT_MAX)
        return fail_field(csv, WEIGHT, WEIR_E_RANGE, "must be a number from 0.001 to 1000000", err);
    return 0;
}

static int read_group(const struct weir_csv *csv, uint32_t *group, struct weir_err *err)
{
    uint64_t value = 0;
    *group = 0;
    if (csv->field_count <= GROUP)
        return 0;
    if (weir_text_u64(&csv->field[GROUP], &value) != WEIR_TEXT_OK || value >= GROUPS_MAX)
        return fail_field(csv, GROUP, WEIR_E_RANGE, "must be a whole number from 0 to 1048575; 0 = of no group", err);
    *group = (uint32_t)value;
    return 0;
}

static int read_flow(const struct weir_csv *csv, uint32_t hosts, struct flow *flow, struct weir_err *err)
{
    struct weir_tok tok = weir_csv_tok(csv, 0);
    struct weir_listed *what = &flow->what;
    if (csv->field_count < WEIGHT || csv->field_count > COLUMNS)
        return weir_fail(err, WEIR_E_SYNTAX, &tok, columns_hint, "%u columns where 4 to 6 are wanted",
                         csv->field_count);
    int code = read_host(csv, SRC, hosts, &flow->src, err);
    if (code == 0)
        code = read_host(csv, DST, hosts, &what->dst, err);
    if (code == 0)
        code = read_size(csv, &what->bytes, err);
    if (code == 0)
        code = read_start(csv, what, err);
    if (code == 0)
        code = read_weight(csv, &what->weight_q20, err);
    if (code == 0)
        code = read_group(csv, &flow->group, err);
    if (code != 0)
        return code;
    if (flow->src == what->dst)
        return fail_field(csv, DST, WEIR_E_RANGE, "a host cannot send to itself", err);
    if (what->bytes == 0 || what->bytes > WEIR_CDF_SIZE_MAX)
        return fail_field(csv, BYTES, WEIR_E_RANGE, "a message has 1 byte to 1 TiB", err);
    return 0;
}

static bool groups_room(struct flow_groups *groups, uint32_t group)
{
    uint32_t room = groups->room == 0 ? 64 : groups->room;
    while (room <= group)
        room *= 2;
    if (room == groups->room)
        return true;
    uint32_t *larger = realloc(groups->receiver, room * sizeof(*larger));
    if (larger == NULL)
        return false;
    memset(larger + groups->room, 0, (room - groups->room) * sizeof(*larger));
    groups->receiver = larger;
    groups->room = room;
    return true;
}

/* Sets flow->what.group to the plan's number of the row's group, and refuses a group whose rows have different
 * receivers. @return 0, or a code with err */
static int plan_group(struct weir_plan *plan, struct flow_groups *groups, const struct weir_csv *csv, struct flow *flow,
                      struct weir_err *err)
{
    uint32_t to = flow->what.dst + 1;
    if (flow->group == 0)
        return 0;
    if (!groups_room(groups, flow->group))
        return weir_fail_memory(err);
    if (groups->receiver[flow->group] == 0)
        groups->receiver[flow->group] = to;
    if (groups->receiver[flow->group] != to)
        return fail_field(csv, GROUP, WEIR_E_CONFLICT, "another row of this group has another dst", err);
    if (!plan->has_groups)
        return 0;
    flow->what.group = groups->base + flow->group;
    plan->group = plan->group < flow->what.group ? flow->what.group : plan->group;
    return 0;
}

/* Plans the messages of one row, each with its own tag: one message, or with `connections: weight` one per connection.
 * The bytes are divided equally; the first messages take one byte more if there is a remainder. Each message announces
 * its sender to the group of the row. starts: false = no message is added to the plan */
static int plan_row(struct weir_plan *plan, const struct weir_traffic_config *item, uint32_t src,
                    const struct weir_listed *row, bool starts, struct weir_err *err)
{
    struct weir_listed part = *row;
    uint64_t parts = 1;
    int code = 0;
    if (item->connections == WEIR_CONNECTIONS_WEIGHT) {
        uint64_t rounded = (row->weight_q20 + WEIR_WEIGHT_ONE / 2) / WEIR_WEIGHT_ONE;
        parts = weir_max_u64(1, weir_min_u64(rounded, row->bytes));
        part.weight_q20 = WEIR_WEIGHT_ONE;
    }
    for (uint64_t i = 0; code == 0 && i < parts; i++) {
        if (plan->tags == WEIR_TAGS_MAX)
            return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %u flows in lists", WEIR_TAGS_MAX);
        part.tag = ++plan->tags;
        part.bytes = row->bytes / parts + (i < row->bytes % parts);
        if (part.group != 0)
            code = weir_plan_announce(plan, part.group, src, err);
        if (code == 0 && starts)
            code = weir_plan_add(plan, src, &part, err);
    }
    return code;
}

int weir_flow_check(uint32_t src, const struct weir_listed *what, const struct weir_tok *where, struct weir_err *err)
{
    if (src == what->dst)
        return weir_fail(err, WEIR_E_RANGE, where, NULL, "from host %u to itself: a host cannot send to itself", src);
    if (what->bytes == 0 || what->bytes > WEIR_CDF_SIZE_MAX)
        return weir_fail(err, WEIR_E_RANGE, where, NULL, "size: a message has 1 byte to 1 TiB");
    if (what->start_ps > WEIR_TRAFFIC_TIME_MAX)
        return weir_fail(err, WEIR_E_RANGE, where, NULL, "start: later than 18000 s");
    return 0;
}

int weir_flow_take(struct weir_flow_list *list, uint32_t src, struct weir_listed *what, const struct weir_tok *where,
                   struct weir_err *err)
{
    uint64_t start_ps;
    if (what->start_ps < list->item->origin_ps)
        return weir_fail(err, WEIR_E_RANGE, where, "origin is when the file's first flow starts, or earlier",
                         "start: before the item's origin");
    what->start_ps -= list->item->origin_ps;
    what->start_ps += weir_mul_hi_u64(weir_rng_at(list->key, list->read_count++), list->item->jitter_ps);
    start_ps = what->start_ps;
    what->item = list->index;
    return plan_row(list->plan, list->item, src, what, start_ps >= list->item->start_ps && start_ps < list->until_ps,
                    err);
}

/* Plans all rows of a CSV file. groups: filled here; the caller frees groups->receiver. @return 0, or a code with
 * err */
static int plan_rows(struct weir_flow_list *list, struct flow_groups *groups, struct weir_err *err)
{
    struct weir_csv csv = weir_csv_of(list->item->file, list->text);
    int code = 0;
    for (bool first = true; code == 0 && weir_csv_next(&csv); first = false) {
        struct flow flow = { .group = 0 };
        if (first && weir_csv_is_header(&csv)) {
            code = check_header(&csv, err);
            continue;
        }
        code = read_flow(&csv, list->limits->hosts, &flow, err);
        if (code == 0)
            code = plan_group(list->plan, groups, &csv, &flow, err);
        struct weir_tok tok = weir_csv_tok(&csv, START < csv.field_count ? START : 0);
        if (code == 0)
            code = weir_flow_take(list, flow.src, &flow.what, &tok, err);
    }
    if (code == 0 && list->read_count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = list->item->file }, columns_hint,
                         "there is no flow in it");
    return code;
}

static int plan_csv(struct weir_flow_list *list, struct weir_err *err)
{
    struct flow_groups groups = { .base = list->plan->group };
    int code = plan_rows(list, &groups, err);
    free(groups.receiver);
    return code;
}

static int plan_text(struct weir_flow_list *list, struct weir_err *err)
{
    enum weir_flow_format format = (enum weir_flow_format)list->item->format;
    if (format == WEIR_FLOWS_AUTO)
        format = weir_flow_format_of(list->text);
    if (format != WEIR_FLOWS_HTSIM && list->item->start_unit != WEIR_START_UNIT_NONE)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "the other forms say it", "start_unit is for format htsim");
    if (format == WEIR_FLOWS_CSV)
        return plan_csv(list, err);
    return format == WEIR_FLOWS_HTSIM ? weir_flows_cm(list, err) : weir_flows_columns(list, format, err);
}

int weir_plan_flows(struct weir_plan *plan, const struct weir_traffic_config *item, uint32_t index,
                    const struct weir_workload_limits *limits, struct weir_err *err)
{
    struct weir_flow_list list = { .plan = plan,
                                   .item = item,
                                   .limits = limits,
                                   .index = index,
                                   .until_ps = weir_item_until_ps(item, limits->end_ps),
                                   .key = weir_rng_key(limits->seed, 0, WEIR_RNG_JITTER, index) };
    char *text;
    int code = weir_text_read(item->file, limits->base_dir, &text, err);
    list.text = text;
    if (code == 0)
        code = weir_foreign_name(plan_text(&list, err), item->file, text, WEIR_FOREIGN_NONE, err);
    free(text);
    return code;
}
