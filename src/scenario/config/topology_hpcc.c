/* src/scenario/config/topology_hpcc.c - reads topologies of HPCC's ns-3 simulator and of the simulators made from it:
 * counts, ids of switches, links. Source: the readers of HPCC, PowerTCP, Reverie and SimAI, and the files that come
 * with them. Rows of numbers after the last link are left out, as by those readers, but with a warning. */
#include "config/topology_read.h"
#include "workload/tokens.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_TOKENS = 5, LINK_BYTES = 10 /* characters of the shortest line of a link */ };

static const char form[] =
    "the first line is NODES SWITCHES LINKS, then come the ids of the switches, then the links: SRC DST RATE "
    "DELAY LOSS";

static const char further_links[] =
    "the file has further links than its first line says: they are left out, as HPCC's reader does";

static const struct weir_text_unit rate_units[] = {
    { "", 1 },
    { "bps", 1 },
    { "b/s", 1 },
    { "kbps", 1000 },
    { "Kbps", 1000 },
    { "kb/s", 1000 },
    { "Kb/s", 1000 },
    { "Mbps", 1000000 },
    { "Mb/s", 1000000 },
    { "Gbps", 1000000000 },
    { "Gb/s", 1000000000 },
    { "Tbps", 1000000000000 },
    { "Tb/s", 1000000000000 },
    { NULL, 0 },
};
static const struct weir_text_unit delay_units[] = {
    { "ps", 1 }, { "ns", 1000 }, { "us", 1000000 }, { "ms", 1000000000 }, { "s", 1000000000000 }, { NULL, 0 },
};

struct reader { /* state while one file is read */
    struct weir_topology_read *out;
    struct weir_tokens tokens;
    struct weir_tokens_row row;
    uint64_t nodes, switches, links; /* switches: NVSwitches included */
    uint64_t nvswitches;             /* the first of the ids of switches */
    uint32_t *node_of; /* per id: 0 = a host, else enum sort; after number_nodes() the node of the graph */
    struct weir_err *err;
};

enum sort { HOST, SWITCH, NVSWITCH };

static struct weir_tok position(const struct reader *r, uint32_t i)
{
    return weir_tokens_row_tok(r->tokens.file, &r->row, i);
}

bool weir_topology_is_hpcc(const char *text)
{
    struct weir_tokens tokens = weir_tokens_of(NULL, text);
    struct weir_tokens_row row;
    return weir_tokens_row(&tokens, &row) && row.count >= 2 && weir_token_is_number(&row.field[0]) &&
           weir_token_is_number(&row.field[1]);
}

/* --- the first line --- */

struct head { /* a dialect: number of tokens of the first line, and the indices of the counts among them */
    uint32_t tokens, switches, links;
    uint32_t gpus, nvswitches; /* of a server, and NVSwitches; 0 = the dialect has none */
};

static const struct head *head_of(const struct weir_tokens_row *row)
{
    static const struct head heads[] = {
        { 3, 1, 2, 0, 0 }, /* HPCC */
        { 4, 1, 3, 0, 0 }, /* PowerTCP: NODES SWITCHES RACKS LINKS */
        { 6, 3, 4, 1, 2 }, /* SimAI: NODES GPUS_OF_A_SERVER NVSWITCHES SWITCHES LINKS GPU */
        { 6, 1, 3, 0, 0 }, /* Reverie: NODES SWITCHES RACKS LINKS RATE RATE */
    };
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
        if (heads[i].tokens == row->count && (heads[i].gpus == 0 || !weir_token_is_number(&row->field[5])))
            return &heads[i];
    return NULL;
}

static int read_count(const struct reader *r, uint32_t i, const char *what, uint64_t most, uint64_t *value)
{
    struct weir_tok tok = position(r, i);
    return weir_token_u64(&r->row.field[i], &tok, what, most, value, r->err);
}

/* Refuses impossible counts of nodes, switches and links, before arrays of these lengths are allocated. */
static int check_counts(const struct reader *r)
{
    struct weir_tok tok = position(r, 0);
    if (r->switches == 0 || r->switches >= r->nodes)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, form,
                         "%" PRIu64 " nodes, %" PRIu64 " of them switches: there are hosts and switches", r->nodes,
                         r->switches);
    if (r->links + 1 < r->nodes)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, form, "%" PRIu64 " links cannot join %" PRIu64 " nodes", r->links,
                         r->nodes);
    if (r->links > strlen(r->tokens.at) / LINK_BYTES)
        return weir_fail(r->err, WEIR_E_CONFLICT, &tok, "is the file whole?",
                         "%" PRIu64 " links: the file is shorter than that", r->links);
    return 0;
}

/* Reads the GPUs of a server and the number of NVSwitches, and adds the latter to that of switches. Refuses hosts that
 * are no whole number of servers. @return 0, or a code with err */
static int read_servers(struct reader *r, const struct head *head)
{
    struct weir_tok tok = position(r, head->gpus);
    uint64_t gpus, hosts;
    int code = read_count(r, head->gpus, "GPUs of a server", WEIR_HOSTS_MAX, &gpus);
    if (code == 0)
        code = read_count(r, head->nvswitches, "NVSwitches", WEIR_GRAPH_SWITCHES_MAX, &r->nvswitches);
    r->switches += r->nvswitches;
    if (code != 0 || r->switches >= r->nodes)
        return code;
    hosts = r->nodes - r->switches;
    if (gpus == 0 || hosts % gpus != 0)
        return weir_fail(r->err, WEIR_E_CONFLICT, &tok,
                         "the first line is NODES GPUS_OF_A_SERVER NVSWITCHES SWITCHES LINKS GPU; all other nodes are "
                         "GPUs",
                         "%" PRIu64 " nodes without %" PRIu64 " NVSwitches and %" PRIu64 " switches are %" PRIu64
                         " GPUs: no servers of %" PRIu64,
                         r->nodes, r->nvswitches, r->switches - r->nvswitches, hosts, gpus);
    return 0;
}

static int read_head(struct reader *r)
{
    const struct head *head = weir_tokens_row(&r->tokens, &r->row) ? head_of(&r->row) : NULL;
    int code;
    if (head == NULL)
        return weir_fail(r->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = r->tokens.file, .line = 1 }, form,
                         "the first line has %" PRIu32 " words: 3, 4 and 6 are known", r->row.count);
    code = read_count(r, 0, "nodes", WEIR_HOSTS_MAX, &r->nodes);
    if (code == 0)
        code = read_count(r, head->switches, "switches", WEIR_GRAPH_SWITCHES_MAX, &r->switches);
    if (code == 0 && head->gpus != 0)
        code = read_servers(r, head);
    if (code == 0)
        code = read_count(r, head->links, "links", WEIR_CABLES_MAX, &r->links);
    return code != 0 ? code : check_counts(r);
}

/* --- switches --- */

/* Reads the ids of the switches, NVSwitches first, and sets their sort in r->node_of. @return 0, or a code with err */
static int read_switches(struct reader *r)
{
    struct weir_text_token token;
    for (uint64_t i = 0; i < r->switches; i++) {
        uint64_t id;
        if (!weir_tokens_next(&r->tokens, &token))
            return weir_fail(r->err, WEIR_E_CONFLICT,
                             &(struct weir_tok){ .file = r->tokens.file, .line = r->tokens.line }, "is the file whole?",
                             "%" PRIu64 " switches, and the file ends after %" PRIu64 " ids", r->switches, i);
        struct weir_tok tok = weir_token_tok(r->tokens.file, &token);
        int code = weir_token_u64(&token.field, &tok, "id of a switch", r->nodes - 1, &id, r->err);
        if (code != 0)
            return code;
        if (r->node_of[id] != HOST)
            return weir_fail(r->err, WEIR_E_CONFLICT, &tok, NULL, "switch %" PRIu64 " is listed twice", id);
        r->node_of[id] = i < r->nvswitches ? NVSWITCH : SWITCH;
    }
    return 0;
}

/* Assigns numbers to all nodes: hosts first, then switches, both in the order of their ids. Sets r->node_of, the nodes'
 * names and positions, and out->host_id, which becomes NULL if every host's number is its id. */
static void number_nodes(struct reader *r)
{
    static const char *const prefix[] = { [HOST] = "h", [SWITCH] = "s", [NVSWITCH] = "nvswitch" };
    struct weir_topology_read *out = r->out;
    uint32_t host = 0, sw = out->graph.host_count;
    struct weir_tok tok = { .file = r->tokens.file, .line = 2 };
    bool same = true;
    for (uint32_t id = 0; id < r->nodes; id++) {
        enum sort sort = (enum sort)r->node_of[id];
        uint32_t node = sort != HOST ? sw++ : host++;
        r->node_of[id] = node;
        (void)snprintf(out->graph.name[node], WEIR_NODE_NAME, "%s%" PRIu32, prefix[sort], id);
        out->node_at[node] = tok;
        if (sort != HOST)
            continue;
        out->host_id[node] = id;
        same = same && node == id;
    }
    if (!same)
        return;
    free(out->host_id);
    out->host_id = NULL;
}

/* --- links --- */

static int read_end(const struct reader *r, uint32_t i, uint32_t *node)
{
    struct weir_tok tok = position(r, i);
    uint64_t id;
    int code = weir_token_u64(&r->row.field[i], &tok, i == 0 ? "src" : "dst", r->nodes - 1, &id, r->err);
    if (code == 0)
        *node = r->node_of[id];
    return code;
}

static int read_quantity(const struct reader *r, uint32_t i, const char *what, const struct weir_text_unit *units,
                         uint64_t least, uint64_t most, uint64_t *value)
{
    const struct weir_field *field = &r->row.field[i];
    struct weir_tok tok = position(r, i);
    enum weir_text_status status = weir_text_quantity(field, units, value);
    if (status == WEIR_TEXT_OK && (*value < least || *value > most))
        return weir_fail(r->err, WEIR_E_RANGE, &tok,
                         i == 2 ? "a link runs at 1 Mbps to 8 Tbps" : "a link delays by 1 ps to 1 s",
                         "%s = %.*s: out of range", what, weir_token_shown(field), field->text);
    if (status == WEIR_TEXT_OK)
        return 0;
    return weir_fail(r->err,
                     status == WEIR_TEXT_UNIT  ? WEIR_E_UNIT
                     : status == WEIR_TEXT_BAD ? WEIR_E_SYNTAX
                                               : WEIR_E_RANGE,
                     &tok, i == 2 ? "for example 100Gbps" : "for example 1us", "%s = %.*s: %s", what,
                     weir_token_shown(field), field->text, weir_text_error(status));
}

/* Reads the probability that a packet of the link is lost, in either direction. @return 0, or a code with err */
static int read_loss(const struct reader *r, uint32_t *loss_ppb)
{
    const struct weir_field *field = &r->row.field[4];
    struct weir_tok tok = position(r, 4);
    uint64_t parts = 0;
    enum weir_text_status status = weir_text_scaled(field, UINT64_C(1000000000000), &parts);
    if (status == WEIR_TEXT_BAD)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, form, "loss = %.*s: not a number", weir_token_shown(field),
                         field->text);
    if (status != WEIR_TEXT_OK || parts > UINT64_C(1000000000000))
        return weir_fail(r->err, WEIR_E_RANGE, &tok, "the probability that a packet is lost",
                         "loss = %.*s: must be 0 to 1", weir_token_shown(field), field->text);
    *loss_ppb = (uint32_t)((parts + 500) / 1000);
    return 0;
}

static int read_link(struct reader *r)
{
    struct weir_cable cable = { .a = 0 };
    struct weir_tok tok = position(r, 0);
    int code;
    if (r->row.count != LINK_TOKENS)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, form, "a link has %d words, not %" PRIu32, LINK_TOKENS,
                         r->row.count);
    code = read_end(r, 0, &cable.a);
    if (code == 0)
        code = read_end(r, 1, &cable.b);
    if (code == 0)
        code = read_quantity(r, 2, "rate", rate_units, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, &cable.rate_bps);
    if (code == 0)
        code = read_quantity(r, 3, "delay", delay_units, 1, WEIR_LINK_DELAY_MAX_PS, &cable.delay_ps);
    if (code == 0)
        code = read_loss(r, &cable.loss_ppb);
    cable.back_rate_bps = cable.rate_bps;
    cable.back_delay_ps = cable.delay_ps;
    if (code == 0)
        weir_topology_read_cable(r->out, &cable, &tok);
    return code;
}

static bool next_link(struct reader *r)
{
    return weir_tokens_row(&r->tokens, &r->row) && r->row.field[0].text[0] >= '0' && r->row.field[0].text[0] <= '9';
}

/* Reads the links. After the last link the file may have rows of text, as notes, which the other readers do not read
 * either. @return 0, or a code with err */
static int read_links(struct reader *r)
{
    struct weir_tok first = { .file = r->tokens.file, .line = 1 };
    bool more = next_link(r);
    uint64_t links = 0;
    int code = 0;
    for (; code == 0 && more && links < r->links; links++) {
        code = read_link(r);
        more = next_link(r);
    }
    if (code != 0)
        return code;
    if (more)
        r->out->note = further_links;
    if (links < r->links)
        return weir_fail(r->err, WEIR_E_CONFLICT, &first, "is the file whole?",
                         "the first line says %" PRIu64 " links, and there are %" PRIu64, r->links, links);
    return 0;
}

int weir_topology_read_hpcc(struct weir_topology_read *out, const char *file, const char *text, struct weir_err *err)
{
    struct reader r = { .out = out, .tokens = weir_tokens_of(file, text), .err = err };
    int code;
    *out = (struct weir_topology_read){ .all = { .file = file, .line = 1 } };
    code = read_head(&r);
    if (code == 0)
        code = weir_topology_read_room(out, (uint32_t)(r.nodes - r.switches), (uint32_t)r.switches, (uint32_t)r.links,
                                       err);
    if (code != 0)
        return code;
    r.node_of = calloc(r.nodes, sizeof(*r.node_of));
    out->host_id = calloc(out->graph.host_count, sizeof(*out->host_id));
    if (r.node_of == NULL || out->host_id == NULL)
        code = weir_fail_memory(err);
    if (code == 0)
        code = read_switches(&r);
    if (code == 0) {
        number_nodes(&r);
        code = read_links(&r);
    }
    free(r.node_of);
    return code;
}
