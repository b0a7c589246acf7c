/* src/scenario/config/yaml.c - turns libyaml's events into a tree. The reader holds one event at a time, so on any
 * error one place frees the event and the parser. */
#include "config/yaml.h"
#include <string.h>
#include <yaml.h>

struct reader { /* state while one text is read */
    yaml_parser_t parser;
    yaml_event_t event; /* the last one read */
    struct weir_tree_arena *arena;
    const char *file, *text;
    size_t length;
    uint32_t list_max;
    struct weir_err *err;
};

static struct weir_tok tok_at(const struct reader *r, const char *text, yaml_mark_t mark)
{
    return (struct weir_tok){
        .text = text, .file = r->file, .line = (uint32_t)mark.line + 1, .col = (uint32_t)mark.column + 1
    };
}

static int fail_here(struct reader *r, const char *hint, const char *what)
{
    struct weir_tok tok = tok_at(r, "", r->event.start_mark);
    return weir_fail(r->err, WEIR_E_SYNTAX, &tok, hint, "%s", what);
}

static int fail_memory(struct reader *r)
{
    return weir_fail_memory(r->err);
}

/* Computes line and column of bytes that are no valid text, for which libyaml gives an offset and no mark. */
static struct weir_tok tok_of_offset(const struct reader *r)
{
    struct weir_tok tok = { .text = "", .file = r->file, .line = 1, .col = 1 };
    for (size_t i = 0; i < r->parser.problem_offset && i < r->length; i++) {
        tok.col++;
        if (r->text[i] == '\n') {
            tok.line++;
            tok.col = 1;
        }
    }
    return tok;
}

static int fail_yaml(struct reader *r)
{
    const char *problem = r->parser.problem != NULL ? r->parser.problem : "cannot be read";
    struct weir_tok tok;
    if (r->parser.error == YAML_MEMORY_ERROR)
        return fail_memory(r);
    tok = r->parser.error == YAML_READER_ERROR ? tok_of_offset(r) : tok_at(r, "", r->parser.problem_mark);
    return weir_fail(r->err, WEIR_E_SYNTAX, &tok, "YAML is 'key: value' lines, {..} maps and [..] lists",
                     "not YAML: %s", problem);
}

static int next_event(struct reader *r)
{
    yaml_event_delete(&r->event);
    return yaml_parser_parse(&r->parser, &r->event) ? 0 : fail_yaml(r);
}

/* Tests whether an event is an alias, or a node with an anchor or a tag. */
static bool is_fancy(const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_ALIAS_EVENT:
        return true;
    case YAML_SCALAR_EVENT:
        return e->data.scalar.anchor != NULL || e->data.scalar.tag != NULL;
    case YAML_MAPPING_START_EVENT:
        return e->data.mapping_start.anchor != NULL || e->data.mapping_start.tag != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return e->data.sequence_start.anchor != NULL || e->data.sequence_start.tag != NULL;
    default:
        return false;
    }
}

/* Sets *tok to a copy, in the arena, of the text of r->event, which is a scalar, and to its position. @return 0, or a
 * code with r->err */
static int take_scalar(struct reader *r, struct weir_tok *tok)
{
    const char *value = (const char *)r->event.data.scalar.value;
    size_t length = r->event.data.scalar.length;
    char *copy;
    if (strlen(value) != length)
        return fail_here(r, NULL, "text holds a NUL character");
    copy = weir_tree_arena_text(r->arena, value, length);
    if (copy == NULL)
        return fail_memory(r);
    *tok = tok_at(r, copy, r->event.start_mark);
    return 0;
}

/* Tests whether an event is a scalar in double quotes. */
static bool is_double_quoted(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT && e->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
}

static int read_node(struct reader *r, struct weir_tree *node, uint32_t depth);

static int check_room(struct reader *r, const struct weir_tree *node, uint32_t most)
{
    struct weir_tok tok = tok_at(r, "", r->event.start_mark);
    if (node->count < most)
        return 0;
    return weir_fail(r->err, WEIR_E_SYNTAX, &tok, NULL, "more than %u entries in one map or list", most);
}

static int read_key(struct reader *r, const struct weir_tree *map, struct weir_tok *key)
{
    const struct weir_tree *twin;
    int code;
    if (r->event.type != YAML_SCALAR_EVENT || is_fancy(&r->event))
        return fail_here(r, NULL, "a key must be plain text");
    code = take_scalar(r, key);
    if (code != 0)
        return code;
    twin = weir_tree_find(map, key->text);
    if (twin != NULL)
        return weir_fail(r->err, WEIR_E_CONFLICT, key, "keep one of the two", "'%.80s' is set twice, first at line %u",
                         key->text, twin->key.line);
    return 0;
}

static int read_map(struct reader *r, struct weir_tree *map, uint32_t depth)
{
    map->kind = WEIR_TREE_MAP;
    for (;;) {
        struct weir_tree *child;
        struct weir_tok key = { 0 };
        bool is_quoted;
        int code = next_event(r);
        if (code != 0 || r->event.type == YAML_MAPPING_END_EVENT)
            return code;
        code = check_room(r, map, WEIR_TREE_CHILDREN_MAX);
        if (code == 0)
            code = read_key(r, map, &key);
        is_quoted = code == 0 && is_double_quoted(&r->event);
        if (code == 0)
            code = next_event(r);
        if (code != 0)
            return code;
        child = weir_tree_add(r->arena, map);
        if (child == NULL)
            return fail_memory(r);
        child->key = key;
        child->has_quoted_key = is_quoted;
        code = read_node(r, child, depth);
        if (code != 0)
            return code;
    }
}

static int read_list(struct reader *r, struct weir_tree *list, uint32_t depth)
{
    list->kind = WEIR_TREE_LIST;
    for (;;) {
        struct weir_tree *child;
        int code = next_event(r);
        if (code != 0 || r->event.type == YAML_SEQUENCE_END_EVENT)
            return code;
        code = check_room(r, list, r->list_max);
        if (code != 0)
            return code;
        child = weir_tree_add(r->arena, list);
        if (child == NULL)
            return fail_memory(r);
        code = read_node(r, child, depth);
        if (code != 0)
            return code;
    }
}

/* Reads the node whose first event is r->event, with all its children. depth: number of maps and lists around it */
static int read_node(struct reader *r, struct weir_tree *node, uint32_t depth)
{
    if (is_fancy(&r->event))
        return fail_here(r, "write the value out", "anchors, aliases and tags are not understood here");
    if (depth >= WEIR_TREE_DEPTH_MAX)
        return fail_here(r, NULL, "nested too deep");
    node->at = tok_at(r, "", r->event.start_mark);
    if (r->event.type == YAML_MAPPING_START_EVENT)
        return read_map(r, node, depth + 1);
    if (r->event.type == YAML_SEQUENCE_START_EVENT)
        return read_list(r, node, depth + 1);
    node->kind = WEIR_TREE_VALUE;
    node->is_empty = r->event.data.scalar.length == 0 && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->is_quoted = is_double_quoted(&r->event);
    return take_scalar(r, &node->at);
}

static int read_stream(struct reader *r, struct weir_tree **root)
{
    int code = next_event(r); /* stream start */
    if (code == 0)
        code = next_event(r);
    if (code == 0 && r->event.type == YAML_STREAM_END_EVENT)
        return weir_fail(r->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = r->file }, NULL, "the file is empty");
    if (code == 0)
        code = next_event(r); /* first event of the top node */
    if (code != 0)
        return code;
    *root = weir_tree_arena_take(r->arena, sizeof(**root));
    if (*root == NULL)
        return fail_memory(r);
    code = read_node(r, *root, 0);
    if (code == 0)
        code = next_event(r); /* document end */
    if (code == 0)
        code = next_event(r);
    if (code == 0 && r->event.type != YAML_STREAM_END_EVENT)
        return fail_here(r, "one file is one document", "a second YAML document begins");
    return code;
}

int weir_yaml_read(struct weir_tree_arena *arena, const char *file, const char *text, size_t length, uint32_t list_max,
                   struct weir_tree **root, struct weir_err *err)
{
    struct reader r = {
        .arena = arena, .file = file, .text = text, .length = length, .list_max = list_max, .err = err
    };
    int code;
    if (!yaml_parser_initialize(&r.parser))
        return fail_memory(&r);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
    code = read_stream(&r, root);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return code;
}
