/* src/scenario/trace/chakra_files.c - the files of a Chakra trace, and the edges between the nodes of each. */
#include "trace/chakra_state.h"
#include "core/assert.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUFFIX = 24 };

static int by_id(const void *a, const void *b)
{
    const struct known *const *x = a, *const *y = b;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

static const struct known *find_known(const struct chakra *c, const struct known *const *sorted, uint64_t id)
{
    uint32_t low = 0, high = c->known_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->known_count && sorted[low]->id == id ? sorted[low] : NULL;
}

/* Counts a dependency on a node that the file does not have. */
static void add_dangling(struct chakra *c, uint64_t later, uint64_t earlier)
{
    struct weir_list_note *note = &c->r->note;
    if (note->dangling == 0) {
        note->later = later;
        note->earlier = earlier;
        note->rank = c->rank;
    }
    note->dangling++;
}

/* Adds the edges of a node. first: where its waits begin */
static int add_waits(struct chakra *c, const struct known *const *sorted, const struct known *later, uint32_t first)
{
    int code = 0;
    for (uint32_t i = first; code == 0 && i < later->waits_end; i++) {
        const struct known *earlier = find_known(c, sorted, c->wait[i]);
        if (earlier == NULL && c->strict)
            return weir_chakra_fail(c, WEIR_E_UNKNOWN, "strict: false reads it without that dependency",
                                    "node %" PRIu64 " waits for node %" PRIu64 ", which the file does not have",
                                    later->id, c->wait[i]);
        if (earlier == NULL) {
            add_dangling(c, later->id, c->wait[i]);
            continue;
        }
        code = weir_ranks_after(c->r->ranks, later->span.first, earlier->span.last, false, c->r->err);
    }
    return code;
}

/* Adds the edges of the present rank, and checks that it had all collectives of its groups. */
static int close_rank(struct chakra *c)
{
    const struct known **sorted = malloc(((size_t)c->known_count + 1) * sizeof(*sorted)); /* + 1: never of size 0 */
    int code = 0;
    if (sorted == NULL)
        return weir_fail_memory(c->r->err);
    for (uint32_t i = 0; i < c->known_count; i++)
        sorted[i] = &c->known[i];
    qsort(sorted, c->known_count, sizeof(*sorted), by_id);
    for (uint32_t i = 1; code == 0 && i < c->known_count; i++)
        if (sorted[i]->id == sorted[i - 1]->id)
            code = weir_chakra_fail(c, WEIR_E_CONFLICT, NULL, "two nodes have the id %" PRIu64, sorted[i]->id);
    for (uint32_t i = 0; code == 0 && i < c->known_count; i++)
        code = add_waits(c, sorted, &c->known[i], i > 0 ? c->known[i - 1].waits_end : 0);
    free(sorted);
    for (uint32_t i = 0; code == 0 && i < c->group_count; i++) {
        struct group *group = &c->group[i];
        if (group->first_rank != UINT32_MAX && weir_chakra_index(c, group) != UINT32_MAX &&
            group->here != group->done_count)
            code = weir_chakra_fail(
                c, WEIR_E_CONFLICT, "collectives of a group are matched by their order in the files",
                "rank %" PRIu32 " has %" PRIu32 " collectives of group '%s', and rank %" PRIu32 " has %" PRIu32,
                c->rank, group->here, weir_chakra_group_name(group), group->first_rank, group->done_count);
        group->here = 0;
    }
    c->known_count = c->wait_count = 0;
    return code;
}

/* Reads the file of the present rank. */
static int read_rank(struct chakra *c, const char *path, const char *base_dir)
{
    struct trace_reader *r = c->r;
    enum weir_trace_form form;
    char *bytes;
    int code = weir_text_bytes(path, base_dir, &bytes, &r->length, r->err);
    if (code != 0)
        return code;
    r->bytes = bytes;
    r->file = path;
    c->version[0] = '\0';
    form = weir_trace_form_of(bytes, r->length);
    code = weir_trace_check_form(r, form, WEIR_TRAFFIC_CHAKRA);
    if (code == 0)
        code = weir_ranks_begin(r->ranks, r->err);
    if (code == 0)
        code = form == WEIR_TRACE_CHAKRA ? weir_chakra_read_et(c, r) : weir_chakra_read_json(c, r);
    if (code == 0)
        code = close_rank(c);
    free(bytes);
    return code;
}

static int read_groups(struct chakra *c, const char *file, const char *base_dir)
{
    struct trace_reader r = *c->r;
    char *text;
    int code = weir_text_read(file, base_dir, &text, r.err);
    if (code != 0)
        return code;
    r.file = file;
    r.bytes = text;
    r.length = strlen(text);
    code = weir_chakra_read_groups(c, &r);
    free(text);
    return code;
}

struct names { /* the names of the files: PREFIX.RANK.SUFFIX, or one file */
    char prefix[WEIR_TEXT_MAX];
    const char *suffix; /* NULL = one file, called as prefix */
};

static bool make_name(const struct names *names, uint32_t rank, char *out, size_t room)
{
    int n = names->suffix == NULL ? snprintf(out, room, "%s", names->prefix)
                                  : snprintf(out, room, "%s.%" PRIu32 "%s", names->prefix, rank, names->suffix);
    return n > 0 && (size_t)n < room;
}

/* Finds out how the files are called. file: their common beginning, or the name of the one of rank 0 */
static int find_names(struct names *names, const char *file, const char *base_dir, struct weir_err *err)
{
    static const char *const suffixes[] = { ".et", ".json" };
    char name[WEIR_TEXT_MAX + SUFFIX];
    size_t length = strlen(file);
    (void)snprintf(names->prefix, sizeof(names->prefix), "%s", file);
    for (uint32_t i = 0; i < 2; i++) {
        size_t tail = strlen(suffixes[i]) + 2;
        if (length > tail && strncmp(file + length - tail, ".0", 2) == 0 &&
            strcmp(file + length - tail + 2, suffixes[i]) == 0)
            names->prefix[length - tail] = '\0';
    }
    for (uint32_t i = 0; i < 2; i++) {
        names->suffix = suffixes[i];
        if (make_name(names, 0, name, sizeof(name)) && weir_text_exists(name, base_dir))
            return 0;
    }
    names->suffix = NULL;
    if (weir_text_exists(file, base_dir))
        return 0;
    return weir_fail(err, WEIR_E_FILE, &(struct weir_tok){ .file = file },
                     "file is what the names of all files begin with; relative names start in the scenario's folder",
                     "there is no %s.0.et, and no %s.0.json: a Chakra trace has a file per rank", file, file);
}

/* Counts the files, of which there is one. */
static uint32_t count_files(const struct names *names, const char *base_dir)
{
    char name[WEIR_TEXT_MAX + SUFFIX];
    uint32_t count = 1;
    while (names->suffix != NULL && count < WEIR_RANKS_MAX && make_name(names, count, name, sizeof(name)) &&
           weir_text_exists(name, base_dir))
        count++;
    return count;
}

static void free_all(struct chakra *c)
{
    for (uint32_t i = 0; i < c->group_count; i++) {
        free(c->group[i].member);
        free(c->group[i].done);
    }
    free(c->group);
    free(c->known);
    free(c->wait);
}

int weir_trace_chakra(struct trace_reader *r, const struct weir_traffic_config *item, const char *base_dir)
{
    struct chakra c = { .r = r, .strict = item->strict != 0, .control = item->dependencies == WEIR_DEPENDENCIES_ALL };
    struct weir_field all = { .text = "" };
    struct names names;
    char path[WEIR_TEXT_MAX + SUFFIX];
    int code = find_names(&names, item->file, base_dir, r->err);
    r->ranks->line_is = "node";
    if (code == 0) {
        c.ranks = count_files(&names, base_dir);
        code = weir_trace_check_ranks(r, c.ranks, 0);
    }
    if (code == 0)
        code = weir_chakra_group(&c, &all, NULL, 0);
    if (code == 0 && item->groups[0] != '\0')
        code = read_groups(&c, item->groups, base_dir);
    for (; code == 0 && c.rank < c.ranks; c.rank++) {
        (void)make_name(&names, c.rank, path, sizeof(path));
        code = read_rank(&c, path, base_dir);
        r->file = item->file;
    }
    free_all(&c);
    return code;
}
