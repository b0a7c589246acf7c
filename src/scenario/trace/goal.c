/* src/scenario/trace/goal.c - reads GOAL schedules, the text of LogGOPSim and ATLAHS. Source: LogGOPSim's txt2bin.re.
 * Departs from it: a comment may follow a statement. Labels that occur twice, numbers that are too large for their
 * field, and missing ranks are refused. txt2bin takes the first label, wraps, or stops. */
#include "core/assert.h"
#include "core/math.h"
#include "core/units.h"
#include "core/utf8.h"
#include "trace/labels.h"
#include "trace/reader.h"
#include <inttypes.h>
#include <string.h>

enum token_kind { NAME, NUMBER, MARK, LINE_END, FILE_END }; /* MARK: one of { } : -, or a character of no token */

struct token {
    const char *text;
    uint32_t length, col;
    enum token_kind kind;
};

struct goal { /* state while a schedule is read */
    struct trace_reader *r;
    const char *at, *row; /* at: behind the present token; row: beginning of its line */
    uint32_t line;
    struct token token; /* the present token */
    struct trace_labels labels;
    uint32_t ranks; /* num_ranks; 0 = not yet read */
    bool in_rank;   /* within the block of a rank */
};

static const char schedule_hint[] = "a schedule is num_ranks N, then rank 0 { .. }, rank 1 { .. }, and so on";
static const char statement_hint[] = "a statement is a line as l1: send 64b to 3 tag 5, calc 100, or l2 requires l1";

/* --- tokens --- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips blanks and comments. A comment in several lines ends no statement. */
static void skip(struct goal *g)
{
    for (;;) {
        g->at += strspn(g->at, " \t\r\v\f");
        if (g->at[0] != '/' || (g->at[1] != '/' && g->at[1] != '*'))
            return;
        if (g->at[1] == '/') {
            g->at += strcspn(g->at, "\n");
            continue;
        }
        for (g->at += 2; g->at[0] != '\0' && (g->at[0] != '*' || g->at[1] != '/'); g->at++)
            if (g->at[0] == '\n') {
                g->line++;
                g->row = g->at + 1;
            }
        g->at += g->at[0] != '\0' ? 2 : 0;
    }
}

/* Steps to the next token. A line ends once it is stepped over: g->line is that of the present token. */
static void step(struct goal *g)
{
    size_t length = 1;
    if (g->token.kind == LINE_END && g->token.text != NULL) {
        g->line++;
        g->row = g->at;
    }
    skip(g);
    g->token = (struct token){ .text = g->at, .col = (uint32_t)(g->at - g->row) + 1, .kind = MARK };
    if (g->at[0] == '\0') {
        g->token.kind = FILE_END;
        length = 0;
    } else if (g->at[0] == '\n') {
        g->token.kind = LINE_END;
    } else if (is_letter(g->at[0])) {
        g->token.kind = NAME;
        while (is_letter(g->at[length]) || is_digit(g->at[length]) || g->at[length] == '_')
            length++;
    } else if (is_digit(g->at[0])) {
        g->token.kind = NUMBER;
        while (is_digit(g->at[length]))
            length++;
    }
    g->token.length = (uint32_t)length; /* a file has at most WEIR_TEXT_FILE_MAX bytes */
    g->at += length;
}

static bool is(const struct goal *g, const char *text)
{
    return g->token.length == strlen(text) && g->token.kind != LINE_END &&
           memcmp(g->token.text, text, g->token.length) == 0;
}

static struct weir_tok here(const struct goal *g)
{
    return (struct weir_tok){ .file = g->r->file, .line = g->line, .col = g->token.col };
}

/* Refuses the present token. wanted: what may stand there. @return WEIR_E_SYNTAX with err */
static int refuse(const struct goal *g, const char *wanted)
{
    const char *hint = g->in_rank ? statement_hint : schedule_hint;
    struct weir_tok tok = here(g);
    if (g->token.kind == FILE_END)
        return weir_fail(g->r->err, WEIR_E_SYNTAX, &tok, hint, "the file ends where %s should follow", wanted);
    if (g->token.kind == LINE_END)
        return weir_fail(g->r->err, WEIR_E_SYNTAX, &tok, hint, "the line ends where %s should follow", wanted);
    return weir_fail(g->r->err, WEIR_E_SYNTAX, &tok, hint, "'%.*s' where %s should stand",
                     (int)weir_min_u64(g->token.length, 40), g->token.text, wanted);
}

/* Takes a token with this text, and steps. @return 0, or WEIR_E_SYNTAX with err */
static int take(struct goal *g, const char *text, const char *wanted)
{
    if (!is(g, text))
        return refuse(g, wanted);
    step(g);
    return 0;
}

/* Takes a number, and steps. what: its name in messages. @return 0, or a code with err */
static int take_number(struct goal *g, const char *what, uint64_t most, uint64_t *value)
{
    uint64_t sum = 0;
    struct weir_tok tok = here(g);
    if (g->token.kind != NUMBER)
        return refuse(g, what);
    for (uint32_t i = 0; i < g->token.length; i++) {
        uint64_t digit = (uint64_t)(g->token.text[i] - '0');
        if (sum > (most - digit) / 10 || digit > most)
            return weir_fail(g->r->err, WEIR_E_RANGE, &tok, NULL, "%.*s: %s is at most %" PRIu64,
                             (int)weir_min_u64(g->token.length, 40), g->token.text, what, most);
        sum = sum * 10 + digit;
    }
    *value = sum;
    step(g);
    return 0;
}

/* Takes a number, or -1 where any is allowed: then *any is true. @return 0, or a code with err */
static int take_or_any(struct goal *g, const char *what, uint64_t *value, bool *any)
{
    *any = is(g, "-");
    if (!*any)
        return take_number(g, what, UINT32_MAX - 1, value);
    step(g);
    return take(g, "1", "-1");
}

/* --- statements --- */

/* Reads the options that may follow, in this order: tag, cpu, nic. */
static int read_options(struct goal *g, struct weir_rank_node *node)
{
    uint64_t value = 0;
    bool is_calc = node->op == WEIR_RANK_COMPUTE, any = false;
    int code = 0;
    if (!is_calc && is(g, "tag")) {
        struct weir_tok tok = here(g);
        step(g);
        code = take_or_any(g, "a tag", &value, &any);
        node->tag = any ? WEIR_RANK_ANY_TAG : value;
        if (code == 0 && any && node->op == WEIR_RANK_SEND)
            return weir_fail(g->r->err, WEIR_E_RANGE, &tok, NULL, "tag -1 of a send: only a receive takes any tag");
    }
    if (code == 0 && is(g, "cpu")) {
        step(g);
        code = take_number(g, "a cpu", WEIR_RANK_LANES_MAX - 1, &value);
        node->lane = is_calc ? (uint32_t)value : node->lane;
    }
    if (code == 0 && !is_calc && is(g, "nic")) {
        struct weir_tok tok = here(g);
        step(g);
        code = take_number(g, "a nic", UINT8_MAX, &value);
        if (code == 0)
            code = weir_trace_check_nic(g->r, value, &tok);
    }
    return code;
}

/* Reads "64b to 3" or "64b from -1". */
static int read_message(struct goal *g, struct weir_rank_node *node)
{
    bool is_send = node->op == WEIR_RANK_SEND, any = false;
    uint64_t peer = 0;
    int code = take_number(g, "a number of bytes", UINT64_MAX, &node->bytes);
    if (code == 0)
        code = take(g, "b", "b (bytes)");
    if (code == 0)
        code = is_send ? take(g, "to", "'to'") : take(g, "from", "'from'");
    if (code == 0)
        code = is_send ? take_number(g, "a rank", UINT32_MAX - 1, &peer) : take_or_any(g, "a rank", &peer, &any);
    node->peer = any ? WEIR_RANK_ANY : (uint32_t)peer;
    return code;
}

/* Reads an operation, from its keyword on, and adds it. label: its label; NULL = it has none */
static int read_op(struct goal *g, const struct token *label)
{
    struct weir_rank_node node = { .line = g->line, .lane = WEIR_RANK_NO_LANE };
    struct trace_label entry = { .node = weir_ranks_last_count(g->r->ranks), .line = g->line };
    uint64_t time_ns = 0;
    int code;
    node.op = is(g, "send") ? WEIR_RANK_SEND : is(g, "recv") ? WEIR_RANK_RECV : WEIR_RANK_COMPUTE;
    if (node.op == WEIR_RANK_COMPUTE && !is(g, "calc"))
        return refuse(g, "send, recv or calc");
    step(g);
    if (node.op == WEIR_RANK_COMPUTE) {
        node.lane = 0;
        code = take_number(g, "a time in nanoseconds", UINT64_MAX, &time_ns);
        node.compute_ps = weir_trace_time_ps(time_ns, WEIR_PS_PER_NS);
    } else {
        code = read_message(g, &node);
    }
    if (code == 0)
        code = read_options(g, &node);
    if (code == 0)
        code = weir_trace_add(g->r, &node);
    if (code != 0 || label == NULL)
        return code;
    entry.text = label->text;
    entry.length = label->length;
    return weir_trace_label_add(&g->labels, &entry) ? 0 : weir_fail_memory(g->r->err);
}

/* Finds the node of the present token, which must be a label, and steps. @return 0, or a code with err */
static int take_label(struct goal *g, const struct token *name, uint32_t *node)
{
    const struct trace_label *label = weir_trace_label_find(&g->labels, name->text, name->length);
    struct weir_tok tok = { .file = g->r->file, .line = g->line, .col = name->col };
    if (label == NULL)
        return weir_fail(g->r->err, WEIR_E_UNKNOWN, &tok, "a label stands before what it names in the same rank",
                         "no line before this one in the rank has the label '%.*s'",
                         (int)weir_min_u64(name->length, 40), name->text);
    *node = label->node;
    return 0;
}

/* Reads "l2 requires l1", from its verb on. later: the label in front */
static int read_wait(struct goal *g, const struct token *later)
{
    bool at_start = is(g, "irequires");
    uint32_t node = 0, earlier = 0;
    int code;
    step(g);
    if (g->token.kind != NAME)
        return refuse(g, "a label");
    code = take_label(g, later, &node);
    if (code == 0)
        code = take_label(g, &g->token, &earlier);
    if (code == 0)
        code = weir_ranks_after(g->r->ranks, node, earlier, at_start, g->r->err);
    if (code == 0)
        step(g);
    return code;
}

/* Reads what follows a label: its operation, or what it waits for. */
static int read_labelled(struct goal *g)
{
    const struct token label = g->token;
    const struct trace_label *before;
    struct weir_tok tok = here(g);
    step(g);
    if (is(g, "requires") || is(g, "irequires"))
        return read_wait(g, &label);
    if (!is(g, ":"))
        return refuse(g, "':', requires or irequires");
    before = weir_trace_label_find(&g->labels, label.text, label.length);
    if (before != NULL)
        return weir_fail(g->r->err, WEIR_E_CONFLICT, &tok, "each label of a rank names one line",
                         "label '%.*s': line %" PRIu32 " of this rank has it already",
                         (int)weir_min_u64(label.length, 40), label.text, before->line);
    step(g);
    return read_op(g, &label);
}

static int read_statement(struct goal *g)
{
    bool is_op = is(g, "send") || is(g, "recv") || is(g, "calc");
    int code;
    if (g->token.kind != NAME)
        return refuse(g, "a statement or '}'");
    code = is_op ? read_op(g, NULL) : read_labelled(g);
    if (code == 0 && g->token.kind != LINE_END && !is(g, "}"))
        return refuse(g, "the end of the line");
    return code;
}

/* Reads a block, from its number on. */
static int read_rank(struct goal *g)
{
    struct weir_tok tok = here(g);
    uint64_t number = 0;
    int code = take_number(g, "the number of a rank", UINT32_MAX, &number);
    if (code == 0 && number != g->r->ranks->ranks)
        return weir_fail(g->r->err, WEIR_E_CONFLICT, &tok, "ranks stand in order from 0, each once, also empty ones",
                         "rank %" PRIu64 " where rank %" PRIu32 " is due", number, g->r->ranks->ranks);
    if (code == 0)
        code = take(g, "{", "'{'");
    if (code == 0)
        code = weir_ranks_begin(g->r->ranks, g->r->err);
    weir_trace_labels_clear(&g->labels);
    g->in_rank = true;
    while (code == 0 && !is(g, "}")) {
        if (g->token.kind == LINE_END)
            step(g);
        else
            code = read_statement(g);
    }
    if (code == 0) {
        g->in_rank = false;
        step(g);
    }
    return code;
}

static int read_num_ranks(struct goal *g)
{
    struct weir_tok tok = here(g);
    uint64_t ranks = 0;
    int code;
    if (g->ranks != 0)
        return weir_fail(g->r->err, WEIR_E_CONFLICT, &tok, NULL, "num_ranks stands there already");
    step(g);
    code = take_number(g, "the number of ranks", WEIR_RANKS_MAX, &ranks);
    if (code == 0 && ranks == 0)
        return weir_fail(g->r->err, WEIR_E_RANGE, &tok, NULL, "num_ranks 0: there is no rank");
    g->ranks = (uint32_t)ranks;
    return code != 0 ? code : weir_trace_check_ranks(g->r, ranks, tok.line);
}

/* Reads what stands outside of the blocks of ranks. */
static int read_top(struct goal *g)
{
    if (g->token.kind == LINE_END) {
        step(g);
        return 0;
    }
    if (is(g, "num_ranks"))
        return read_num_ranks(g);
    if (!is(g, "rank") || g->ranks == 0 || g->r->ranks->ranks == g->ranks)
        return refuse(g, g->ranks == 0                    ? "num_ranks N"
                         : g->r->ranks->ranks == g->ranks ? "the end of the file, after all ranks,"
                                                          : "rank N {");
    step(g);
    return read_rank(g);
}

int weir_trace_goal(struct trace_reader *r)
{
    struct goal g = { .r = r, .at = weir_utf8_text(r->bytes), .line = 1 };
    int code = 0;
    WEIR_ASSERT(r->bytes[r->length] == '\0');
    g.row = g.at;
    step(&g);
    while (code == 0 && g.token.kind != FILE_END)
        code = read_top(&g);
    if (code == 0 && r->ranks->ranks != g.ranks)
        code = refuse(&g, "the block of a further rank");
    if (code == 0 && g.ranks == 0)
        code = refuse(&g, "num_ranks N");
    weir_trace_labels_free(&g.labels);
    return code;
}
