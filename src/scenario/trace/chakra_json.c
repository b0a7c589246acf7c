/* src/scenario/trace/chakra_json.c - reads Chakra traces as JSON, in each of the forms that Chakra's programs have:
 * - the jsonizer's: an object for the metadata, then one for each node, one behind the other, with protobuf's names;
 * - the feeder's: {"workload_graph": [{"Id": .., "NodeType": .., "comm_size": ..}, ..]};
 * - {"schema": "1.0.2-chakra.0.0.4", "nodes": [{"id": .., "type": .., "attrs": [..]}, ..]}.
 * Groups of ranks are read here, too: ASTRA-sim's file, and PyTorch's list in the inputs of a node. */
#include "core/assert.h"
#include "core/math.h"
#include "core/utf8.h"
#include "trace/chakra.h"
#include "trace/json.h"
#include "workload/tokens.h"
#include <stdlib.h>
#include <string.h>

struct object { /* an object that may be a node, while its members are read */
    struct chakra *c;
    struct trace_json *j;
    struct chakra_node node;
    bool is_node, has_nodes; /* it has keys of a node; it has a list of nodes */
};

static bool is_one_of(const struct weir_field *field, const char *a, const char *b)
{
    return weir_token_is(field, a) || weir_token_is(field, b);
}

/* Takes a type: a number, or its name. */
static int take_type(struct trace_json *j, uint64_t *type)
{
    static const char *const names[] = { "INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                                         "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE" };
    struct trace_json before = *j;
    struct weir_field name;
    bool is_number = weir_trace_json_peek(j) != '"';
    struct weir_tok tok = weir_trace_json_tok(j);
    if (is_number)
        return weir_trace_json_u64(j, type);
    if (weir_trace_json_string(j, &name) != 0)
        return WEIR_E_SYNTAX;
    for (uint32_t i = 0; i <= CHAKRA_COLL; i++)
        if (weir_token_is(&name, names[i])) {
            *type = i;
            return 0;
        }
    if (name.length == 0 || name.text[0] < '0' || name.text[0] > '9')
        return weir_fail(j->err, WEIR_E_UNKNOWN, &tok,
                         "types are COMP_NODE, COMM_SEND_NODE and so on, or their numbers",
                         "the type '%.*s' is not read", (int)weir_min_u64(name.length, 40), name.text);
    *j = before;
    return weir_trace_json_u64(j, type);
}

static int take_value(struct object *o, enum chakra_value which)
{
    o->node.has[which] = true;
    if (which == CHAKRA_TYPE)
        return take_type(o->j, &o->node.value[which]);
    return weir_trace_json_u64(o->j, &o->node.value[which]);
}

/* Takes dependencies: a list of ids, or one id. */
static int take_waits(struct object *o, bool control)
{
    bool first = true, more = true, list = weir_trace_json_peek(o->j) == '[';
    uint64_t id = 0;
    int code = list ? weir_trace_json_open(o->j, '[') : 0;
    while (code == 0 && more) {
        code = list ? weir_trace_json_more(o->j, ']', &first, &more) : 0;
        if (code == 0 && more)
            code = weir_trace_json_u64(o->j, &id);
        if (code == 0 && more)
            code = weir_chakra_wait(o->c, id, control);
        more = more && list;
    }
    return code;
}

/* Takes the value of an attribute, whose text is at `value`. */
static int take_attribute_value(struct object *o, const struct weir_field *name, struct trace_json value)
{
    enum chakra_value which = weir_chakra_value_of(name);
    if (weir_token_is(name, "pg_name") && weir_trace_json_peek(&value) == '"')
        return weir_trace_json_string(&value, &o->node.group);
    if (which == CHAKRA_VALUES)
        return 0;
    o->node.has[which] = true;
    return weir_trace_json_u64(&value, &o->node.value[which]);
}

/* Takes an attribute: {"name": "comm_size", "int64Val": "1000"}. The value may stand before the name. */
static int take_attribute(struct object *o)
{
    struct weir_field key, name = { .text = "" };
    struct trace_json value = *o->j;
    bool first = true, more = true, has_value = false;
    int code = weir_trace_json_open(o->j, '{');
    while (code == 0 && more) {
        code = weir_trace_json_more(o->j, '}', &first, &more);
        if (code != 0 || !more)
            break;
        code = weir_trace_json_key(o->j, &key);
        if (code == 0 && weir_token_is(&key, "name")) {
            code = weir_trace_json_string(o->j, &name);
        } else if (code == 0) {
            bool is_value = !is_one_of(&key, "docString", "doc_string") && !weir_token_is(&key, "type");
            if (is_value)
                value = *o->j;
            has_value = has_value || is_value;
            code = weir_trace_json_skip(o->j);
        }
    }
    return code != 0 || !has_value ? code : take_attribute_value(o, &name, value);
}

static int take_attributes(struct object *o)
{
    bool first = true, more = true;
    int code = weir_trace_json_open(o->j, '[');
    while (code == 0 && more) {
        code = weir_trace_json_more(o->j, ']', &first, &more);
        if (code == 0 && more)
            code = take_attribute(o);
    }
    return code;
}

/* Takes the inputs of a node: {"values": ".."}, or a list of values whose first is a string. */
static int take_inputs(struct object *o)
{
    struct weir_field key;
    bool first = true, more = true;
    int code = weir_trace_json_open(o->j, '{');
    while (code == 0 && more) {
        code = weir_trace_json_more(o->j, '}', &first, &more);
        if (code == 0 && more)
            code = weir_trace_json_key(o->j, &key);
        if (code != 0 || !more)
            break;
        weir_trace_json_peek(o->j);
        o->node.inputs.text = weir_token_is(&key, "values") ? o->j->at : o->node.inputs.text;
        code = weir_trace_json_skip(o->j);
        if (weir_token_is(&key, "values"))
            o->node.inputs.length = (uint32_t)(o->j->at - o->node.inputs.text);
    }
    return code;
}

static int read_object(struct chakra *c, struct trace_json *j);

static int read_nodes(struct object *o)
{
    bool first = true, more = true;
    int code = weir_trace_json_open(o->j, '[');
    o->has_nodes = true;
    while (code == 0 && more) {
        code = weir_trace_json_more(o->j, ']', &first, &more);
        if (code == 0 && more)
            code = read_object(o->c, o->j);
    }
    return code;
}

/* Returns the value that a key gives; CHAKRA_VALUES = none. */
static enum chakra_value value_of(const struct weir_field *key)
{
    if (is_one_of(key, "id", "Id"))
        return CHAKRA_ID;
    if (is_one_of(key, "type", "NodeType"))
        return CHAKRA_TYPE;
    if (is_one_of(key, "durationMicros", "duration_micros"))
        return CHAKRA_DURATION;
    return weir_chakra_value_of(key);
}

/* Takes one member of an object. nested: it is in a list of nodes */
static int take_member(struct object *o, const struct weir_field *key, bool nested)
{
    enum chakra_value which = value_of(key);
    struct weir_field text;
    char next = weir_trace_json_peek(o->j);
    int code;
    o->is_node = o->is_node || which <= CHAKRA_TYPE;
    if (!nested && is_one_of(key, "workload_graph", "nodes") && next == '[')
        return read_nodes(o);
    if (!nested && is_one_of(key, "version", "schema") && next == '"') {
        code = weir_trace_json_string(o->j, &text);
        if (code == 0)
            weir_chakra_version(o->c, &text);
        return code;
    }
    if (is_one_of(key, "ctrlDeps", "ctrl_deps") || is_one_of(key, "dataDeps", "data_deps"))
        return take_waits(o, key->text[0] == 'c');
    if (is_one_of(key, "attr", "attrs") && next == '[')
        return take_attributes(o);
    if (weir_token_is(key, "inputs") && next == '{')
        return take_inputs(o);
    if (weir_token_is(key, "pg_name") && next == '"')
        return weir_trace_json_string(o->j, &o->node.group);
    return which == CHAKRA_VALUES ? weir_trace_json_skip(o->j) : take_value(o, which);
}

static int read_members(struct object *o, bool nested)
{
    struct weir_field key;
    bool first = true, more = true;
    int code = weir_trace_json_open(o->j, '{');
    while (code == 0 && more) {
        code = weir_trace_json_more(o->j, '}', &first, &more);
        if (code == 0 && more)
            code = weir_trace_json_key(o->j, &key);
        if (code == 0 && more)
            code = take_member(o, &key, nested);
    }
    return code;
}

/* Reads an object in a list of nodes. */
static int read_object(struct chakra *c, struct trace_json *j)
{
    struct object o = { .c = c, .j = j, .node = { .has = { [CHAKRA_ID] = true } } };
    int code = read_members(&o, true);
    return code != 0 ? code : weir_chakra_node(c, &o.node);
}

/* Reads an object that is not in a list: metadata, a node, or all of a trace. */
static int read_top(struct chakra *c, struct trace_json *j)
{
    struct object o = { .c = c, .j = j, .node = { .has = { [CHAKRA_ID] = true } } };
    int code = read_members(&o, false);
    return code != 0 || o.has_nodes || !o.is_node ? code : weir_chakra_node(c, &o.node);
}

int weir_chakra_read_json(struct chakra *c, struct trace_reader *r)
{
    const char *begin = weir_utf8_text(r->bytes);
    struct trace_json j = weir_trace_json_of(r->file, begin, r->length - (size_t)(begin - r->bytes), r->err);
    struct object list = { .c = c, .j = &j };
    int code = 0;
    WEIR_ASSERT(r->bytes[r->length] == '\0');
    if (weir_trace_json_peek(&j) == '[')
        code = read_nodes(&list);
    while (code == 0 && weir_trace_json_peek(&j) != '\0')
        code = read_top(c, &j);
    return code;
}

/* --- groups of ranks --- */

struct members { /* ranks of a group, while they are read */
    uint32_t *rank;
    unsigned char *seen; /* by rank: it is in the group; NULL = none was read yet */
    uint32_t count, room;
};

static int take_members(struct trace_json *j, struct members *members)
{
    bool first = true, more = true;
    uint64_t rank = 0;
    int code = weir_trace_json_open(j, '[');
    for (uint32_t i = 0; i < members->count; i++) /* of the group before */
        members->seen[members->rank[i]] = 0;
    members->count = 0;
    while (code == 0 && more) {
        struct weir_tok tok = weir_trace_json_tok(j);
        code = weir_trace_json_more(j, ']', &first, &more);
        if (code == 0 && more)
            code = weir_trace_json_u64(j, &rank);
        if (code != 0 || !more)
            break;
        if (rank >= WEIR_RANKS_MAX || members->count == WEIR_RANKS_MAX)
            return weir_fail(j->err, WEIR_E_RANGE, &tok, NULL, "ranks are below %u", WEIR_RANKS_MAX);
        if (members->seen == NULL && (members->seen = calloc(WEIR_RANKS_MAX, 1)) == NULL)
            return weir_fail_memory(j->err);
        if (members->seen[rank] != 0)
            return weir_fail(j->err, WEIR_E_CONFLICT, &tok, NULL, "rank %u is in the group twice", (unsigned)rank);
        members->seen[rank] = 1;
        if (members->count == members->room) {
            uint32_t room = members->room == 0 ? 64 : 2 * members->room;
            uint32_t *larger = realloc(members->rank, room * sizeof(*larger));
            if (larger == NULL)
                return weir_fail_memory(j->err);
            members->rank = larger;
            members->room = room;
        }
        members->rank[members->count++] = (uint32_t)rank;
    }
    return code;
}

int weir_chakra_read_groups(struct chakra *c, struct trace_reader *r)
{
    struct trace_json j = weir_trace_json_of(r->file, r->bytes, r->length, r->err);
    struct members members = { .rank = NULL };
    struct weir_field name;
    bool first = true, more = true;
    int code = weir_trace_json_open(&j, '{');
    while (code == 0 && more) {
        struct weir_tok tok;
        code = weir_trace_json_more(&j, '}', &first, &more);
        weir_trace_json_peek(&j);
        tok = weir_trace_json_tok(&j);
        if (code == 0 && more)
            code = weir_trace_json_key(&j, &name);
        if (code == 0 && more)
            code = take_members(&j, &members);
        if (code == 0 && more && members.count == 0)
            code = weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "a group without ranks");
        if (code == 0 && more)
            code = weir_chakra_group(c, &name, members.rank, members.count);
    }
    free(members.rank);
    free(members.seen);
    return code;
}

/* Takes {"pg_name": "0", "ranks": [0, 1], ..} and adds the group. */
static int take_group(struct chakra *c, struct trace_json *j, struct members *members)
{
    struct weir_field key, name = { .text = "" };
    bool first = true, more = true, has_ranks = false;
    int code = weir_trace_json_open(j, '{');
    while (code == 0 && more) {
        code = weir_trace_json_more(j, '}', &first, &more);
        if (code == 0 && more)
            code = weir_trace_json_key(j, &key);
        if (code != 0 || !more)
            break;
        if (weir_token_is(&key, "pg_name")) {
            code = weir_trace_json_string(j, &name);
        } else if (weir_token_is(&key, "ranks")) {
            code = take_members(j, members);
            has_ranks = true;
        } else {
            code = weir_trace_json_skip(j);
        }
    }
    return code != 0 || !has_ranks || name.length == 0 ? code
                                                       : weir_chakra_group(c, &name, members->rank, members->count);
}

int weir_chakra_read_inputs(struct chakra *c, struct trace_reader *r, const struct weir_field *inputs)
{
    char *plain = malloc((size_t)inputs->length + 1), *begin;
    struct weir_err ignored = { .code = WEIR_E_OK };
    struct members members = { .rank = NULL };
    uint32_t length = 0;
    int code = 0;
    if (plain == NULL)
        return weir_fail_memory(r->err);
    for (uint32_t i = 0; i < inputs->length; i++)
        if (inputs->text[i] != '\\' && inputs->text[i] != '\0')
            plain[length++] = inputs->text[i];
    plain[length] = '\0';
    begin = strstr(plain, "[{");
    if (begin != NULL) {
        struct trace_json j = weir_trace_json_of(r->file, begin, strlen(begin), &ignored);
        bool first = true, more = true;
        code = weir_trace_json_open(&j, '[');
        while (code == 0 && more) {
            code = weir_trace_json_more(&j, ']', &first, &more);
            if (code == 0 && more)
                code = take_group(c, &j, &members);
        }
    }
    free(plain);
    free(members.rank);
    free(members.seen);
    return code == WEIR_E_MEMORY ? weir_fail_memory(r->err) : 0;
}
