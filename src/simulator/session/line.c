/* src/simulator/session/line.c - calls as lines of JSON. libyaml reads them, as JSON is YAML: texts are in double
 * quotes, numbers are not, and what YAML has besides is refused. */
#include "core/math.h"
#include "config/yaml.h"
#include "param/number.h"
#include "param/suggest.h"
#include "session/call.h"
#include "text/json.h"
#include <inttypes.h>
#include <string.h>

enum { HINT = 512, NANO = 1000000000 };

#define MEMBER(id, key, of, field, what)                                                                               \
    [WEIR_SESSION_##id] = {                                                                                            \
        .name = (key), .type = WEIR_SESSION_##of, .offset = offsetof(struct weir_session_args, field), .text = (what)  \
    }

const struct weir_session_member weir_session_members[WEIR_SESSION_MEMBERS] = {
    MEMBER(SRC, "src", U32, src, "the host that sends"),
    MEMBER(DST, "dst", U32, dst, "the host that receives"),
    MEMBER(BYTES, "bytes", U64, bytes, "size of the message, 1 to 2^40"),
    MEMBER(START, "start_ps", U64, start_ps, "when it starts; else as early as it may be"),
    MEMBER(USER, "user", U64, user, "for the program: events have it; of a message else its number"),
    MEMBER(ITEM, "item", U32, item, "number among the scenario's items of kind session; else 0"),
    MEMBER(WEIGHT, "weight", DECIMAL, weight_e9, "of a message; else 1. In the range that the item says"),
    MEMBER(GROUP, "group", U32, group, "number among the groups that the item says, 1 is the first; else none"),
    MEMBER(UNTIL, "until_ps", U64, until_ps, "no further than to this instant; else until nothing happens any more"),
    MEMBER(TIMES, "times", U64, times, "to how many instants with events at most; else 1"),
    MEMBER(MESSAGE, "message", U64, message, "number of a message, as the answer to inject gave it"),
    MEMBER(HOST, "host", U32, host, "a host"),
    MEMBER(AT, "at_ps", U64, at_ps, "when it happens; of a change else as early as it may"),
    MEMBER(FORMAT, "format", U32, format, "of these lines; 1"),
    MEMBER(WEIR, "weir", TEXT, weir, "version of Weir that wrote the file"),
    MEMBER(SCENARIO, "scenario", TEXT, scenario, "the text of a scenario, with traffic of kind session"),
    MEMBER(NAME, "name", TEXT, name, "name of its file: names in it begin at its folder"),
    MEMBER(SET, "set", LIST, set, "keys that replace what the scenario says, as --set of weir run"),
    MEMBER(EVENTS, "events", LIST, events,
           "which events advance reports: delivered, completed, timer; else the first and "
           "the last"),
    MEMBER(REACTION, "reaction_ps", U64, reaction_ps,
           "how long after an event its answer starts; else the shortest "
           "delay of a cable"),
    MEMBER(THREADS, "threads", U32, threads, "1 to 64; results do not depend on it"),
    MEMBER(CHECK, "check", FLAG, check, "verify invariants while running"),
    MEMBER(RECORD, "record", FLAG, record, "keep the calls, so that the session can be saved"),
    MEMBER(CALL_BACKS, "call_backs", FLAG, call_backs, "a call-back of the program gave messages, too"),
    MEMBER(FILE, "file", TEXT, file, "name of a file"),
    MEMBER(PART, "part", TEXT, part, "a cable, switch or host: leaf 0 - spine 1, spine 1, host 3"),
    MEMBER(DIGEST, "digest", TEXT, digest, "16 hexadecimal digits: all that has happened at hosts so far"),
};

/* ---- reading ---- */

struct line { /* state while one line is read */
    struct weir_tree_arena *arena;
    const struct weir_session_row *row;
    struct weir_session_args *args;
    struct weir_err *err;
};

static int fail_type(struct line *l, const struct weir_tree *node, const char *what)
{
    const char *open = node->is_quoted ? "\"" : "";
    if (node->kind != WEIR_TREE_VALUE)
        return weir_fail(l->err, WEIR_E_SYNTAX, &node->at, NULL, "%s: must be %s", node->key.text, what);
    return weir_fail(l->err, WEIR_E_SYNTAX, &node->at, NULL, "%s = %s%.80s%s: must be %s", node->key.text, open,
                     node->at.text, open, what);
}

/* Reads a number as a whole number of 1 / scale. @return 0, or a code with err */
static int read_number(struct line *l, const struct weir_tree *node, uint64_t scale, uint64_t most, uint64_t *value)
{
    enum weir_number_status status = WEIR_NUMBER_BAD;
    struct weir_number n;
    char what[64];
    (void)snprintf(what, sizeof(what), scale == 1 ? "a whole number, 0 to %" PRIu64 : "a number with up to 9 decimals",
                   most);
    if (node->kind == WEIR_TREE_VALUE && !node->is_quoted)
        status = weir_number_read(&n, node->at.text);
    if (status == WEIR_NUMBER_OK && n.unit[0] != '\0')
        status = WEIR_NUMBER_BAD;
    if (status == WEIR_NUMBER_OK)
        status = weir_number_scale(&n, scale, value);
    return status != WEIR_NUMBER_OK || *value > most ? fail_type(l, node, what) : 0;
}

static int read_list(struct line *l, const struct weir_tree *node, const char *const **list)
{
    const char **text;
    uint32_t count = 0;
    if (node->kind != WEIR_TREE_LIST)
        return fail_type(l, node, "a list of texts in quotes");
    if (node->count > WEIR_SESSION_LIST_MAX)
        return weir_fail(l->err, WEIR_E_RANGE, &node->at, NULL, "%s has more than %d entries", node->key.text,
                         WEIR_SESSION_LIST_MAX);
    text = weir_tree_arena_take(l->arena, (node->count + 1) * sizeof(*text));
    if (text == NULL)
        return weir_fail_memory(l->err);
    for (const struct weir_tree *item = node->first; item != NULL; item = item->next) {
        if (item->kind != WEIR_TREE_VALUE || !item->is_quoted)
            return weir_fail(l->err, WEIR_E_SYNTAX, &item->at, NULL, "%s: must be a list of texts in quotes",
                             node->key.text);
        text[count++] = item->at.text;
    }
    *list = text;
    return 0;
}

/* Reads the value of a member into *args. @return 0, or a code with err */
static int read_value(struct line *l, const struct weir_session_member *member, const struct weir_tree *node)
{
    void *field = (char *)l->args + member->offset;
    bool is_true;
    uint64_t value = 0;
    int code;
    switch (member->type) {
    case WEIR_SESSION_U32:
        code = read_number(l, node, 1, UINT32_MAX, &value);
        *(uint32_t *)field = (uint32_t)value;
        return code;
    case WEIR_SESSION_U64:
        return read_number(l, node, 1, UINT64_MAX, field);
    case WEIR_SESSION_DECIMAL:
        return read_number(l, node, NANO, UINT64_MAX, field);
    case WEIR_SESSION_FLAG:
        is_true = strcmp(node->at.text, "true") == 0;
        if (node->kind != WEIR_TREE_VALUE || node->is_quoted || (!is_true && strcmp(node->at.text, "false") != 0))
            return fail_type(l, node, "true or false");
        *(bool *)field = is_true;
        return 0;
    case WEIR_SESSION_TEXT:
        if (node->kind != WEIR_TREE_VALUE || !node->is_quoted)
            return fail_type(l, node, "a text in quotes");
        *(const char **)field = node->at.text;
        return 0;
    case WEIR_SESSION_LIST:
        return read_list(l, node, field);
    }
    return 0;
}

static int fail_unknown(struct line *l, const struct weir_tree *node)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, node->key.text);
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++)
        if (((l->row->needs | l->row->takes) >> i & 1) != 0)
            weir_suggest_add(&near, weir_session_members[i].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(l->err, WEIR_E_UNKNOWN, &node->key, hint, "%s has no member '%.80s'", l->row->name,
                     node->key.text);
}

static int read_member(struct line *l, const struct weir_tree *node)
{
    WEIR_ASSERT(l->row != NULL);
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++) {
        if (((l->row->needs | l->row->takes) >> i & 1) == 0 ||
            strcmp(weir_session_members[i].name, node->key.text) != 0)
            continue;
        l->args->given |= UINT32_C(1) << i;
        return read_value(l, &weir_session_members[i], node);
    }
    return fail_unknown(l, node);
}

/* Finds the row of the call. @return 0, or a code with err */
static int read_call(struct line *l, const struct weir_tree *root)
{
    const struct weir_tree *call = weir_tree_find(root, "call");
    struct weir_suggest near;
    char hint[HINT];
    if (call == NULL)
        return weir_fail(l->err, WEIR_E_SYNTAX, &root->at, "for example {\"call\": \"advance\"}",
                         "the member call is missing");
    if (call->kind != WEIR_TREE_VALUE || !call->is_quoted)
        return fail_type(l, call, "a text in quotes");
    weir_suggest_init(&near, call->at.text);
    for (l->row = weir_session_rows; l->row->name != NULL; l->row++) {
        if (strcmp(l->row->name, call->at.text) == 0)
            return 0;
        weir_suggest_add(&near, l->row->name);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(l->err, WEIR_E_UNKNOWN, &call->at, hint, "no call is named '%.80s'", call->at.text);
}

static int read_object(struct line *l, const struct weir_tree *root)
{
    uint32_t missing;
    int code;
    if (root->kind != WEIR_TREE_MAP)
        return weir_fail(l->err, WEIR_E_SYNTAX, &root->at, NULL, "not a JSON object");
    code = read_call(l, root);
    for (const struct weir_tree *node = root->first; code == 0 && node != NULL; node = node->next) {
        if (!node->has_quoted_key)
            return weir_fail(l->err, WEIR_E_SYNTAX, &node->key, NULL, "not JSON: '%.80s' needs quotes", node->key.text);
        if (strcmp(node->key.text, "call") != 0)
            code = read_member(l, node);
    }
    if (code != 0)
        return code;
    WEIR_ASSERT(l->row != NULL);
    missing = l->row->needs & ~l->args->given;
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++)
        if ((missing >> i & 1) != 0)
            return weir_fail(l->err, WEIR_E_SYNTAX, &root->at, weir_session_members[i].text, "%s needs the member %s",
                             l->row->name, weir_session_members[i].name);
    return 0;
}

/* Returns the length of a line without what is blank at its end. */
static size_t trim(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r'))
        length--;
    return length;
}

/* Tests whether a text begins and ends as a JSON object, whatever is between. */
static bool is_braced(const char *text, size_t length)
{
    size_t first = strspn(text, " \t");
    return first + 1 < length && text[first] == '{' && text[length - 1] == '}';
}

/* Finds a character that YAML takes for a line break, and would change: CR, NEL, LS or PS. @return its offset; length =
 * there is none */
static size_t find_break(const char *text, size_t length)
{
    static const char *const breaks[] = { "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };
    for (size_t i = 0; i < length; i++)
        for (size_t b = 0; b < sizeof(breaks) / sizeof(breaks[0]); b++)
            if (text[i] == breaks[b][0] && length - i >= strlen(breaks[b]) &&
                memcmp(text + i, breaks[b], strlen(breaks[b])) == 0)
                return i;
    return length;
}

const struct weir_session_row *weir_session_line_read(struct weir_tree_arena *arena, const char *file, const char *text,
                                                      size_t length, struct weir_session_args *args,
                                                      struct weir_err *err)
{
    static const char yaml[] = "not YAML";
    struct line l = { .arena = arena, .args = args, .err = err };
    struct weir_tok at = { .text = text, .file = file, .line = 1, .col = 1 };
    size_t odd;
    struct weir_tree *root = NULL;
    *args = (struct weir_session_args){ 0 };
    length = trim(text, length);
    if (!is_braced(text, length)) {
        (void)weir_fail(err, WEIR_E_SYNTAX, &at, "one line is one object, {..}", "not a JSON object");
        return NULL;
    }
    if ((odd = find_break(text, length)) < length) {
        at.col = (uint32_t)odd + 1;
        (void)weir_fail(err, WEIR_E_SYNTAX, &at, "write it as an escape, for example \\u2028",
                        "a line break is in the line");
        return NULL;
    }
    if (weir_yaml_read(arena, file, text, length, WEIR_TREE_CHILDREN_MAX, &root, err) != 0) {
        if (strncmp(err->text, yaml, sizeof(yaml) - 1) == 0)
            memcpy(err->text, "not JSON", sizeof(yaml) - 1);
        err->hint[0] = '\0';
        if (err->line > 1) { /* libyaml finds the end in the next line */
            err->line = 1;
            err->col = (uint32_t)length + 1;
        }
        return NULL;
    }
    return read_object(&l, root) == 0 ? l.row : NULL;
}

/* ---- writing ---- */

static void write_list(struct weir_json *json, const char *key, const char *const *list)
{
    weir_json_open_list(json, key);
    for (; *list != NULL; list++)
        weir_json_string(json, NULL, *list);
    weir_json_close_list(json);
}

static void write_value(struct weir_json *json, const struct weir_session_member *member,
                        const struct weir_session_args *args)
{
    const void *field = (const char *)args + member->offset;
    switch (member->type) {
    case WEIR_SESSION_U32:
        weir_json_u64(json, member->name, *(const uint32_t *)field);
        return;
    case WEIR_SESSION_U64:
        weir_json_u64(json, member->name, *(const uint64_t *)field);
        return;
    case WEIR_SESSION_DECIMAL:
        weir_json_decimal(json, member->name, *(const uint64_t *)field, 9);
        return;
    case WEIR_SESSION_FLAG:
        weir_json_bool(json, member->name, *(const bool *)field);
        return;
    case WEIR_SESSION_TEXT:
        weir_json_string(json, member->name, *(const char *const *)field);
        return;
    case WEIR_SESSION_LIST:
        write_list(json, member->name, *(const char *const *const *)field);
        return;
    }
}

void weir_session_line_write(FILE *out, const struct weir_session_row *row, const struct weir_session_args *args)
{
    struct weir_json json = weir_json_line(out);
    WEIR_ASSERT((args->given & ~(row->needs | row->takes)) == 0);
    WEIR_ASSERT((row->needs & ~args->given) == 0);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "call", row->name);
    for (uint32_t i = 0; i < WEIR_SESSION_MEMBERS; i++)
        if ((args->given >> i & 1) != 0)
            write_value(&json, &weir_session_members[i], args);
    weir_json_close(&json);
    (void)fputc('\n', out);
}
