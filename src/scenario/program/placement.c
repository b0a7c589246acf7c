/* src/scenario/program/placement.c - see placement.h. */
#include "program/placement.h"
#include "core/assert.h"
#include "workload/text.h"
#include <stdlib.h>
#include <string.h>

#define SERVERS (UINT16_MAX + 1u) /* more than there are */

struct servers {      /* hosts by server, in the order in which servers occur */
    uint32_t *number; /* SERVERS: of each server, plus 1; 0 = it has none of the hosts */
    uint32_t *first;  /* count + 1: where a server begins in host[] */
    uint32_t *host;
    uint32_t count, most; /* servers; hosts of the largest */
};

static uint32_t server_of(const struct weir_programs_from *from, uint32_t host)
{
    return from->server_of != NULL ? from->server_of[host] : 0;
}

/* Sorts hosts by server. @return false = no memory */
static bool find_servers(struct servers *s, const struct weir_programs_from *from, uint32_t count, const uint32_t *at)
{
    s->number = calloc(SERVERS, sizeof(*s->number));
    s->first = calloc(count + (size_t)2, sizeof(*s->first));
    s->host = calloc(count, sizeof(*s->host));
    if (s->number == NULL || s->first == NULL || s->host == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *number = &s->number[server_of(from, at[i])];
        *number = *number != 0 ? *number : ++s->count;
        s->first[*number + 1]++; /* for now one further, so that filling moves it to its own */
    }
    for (uint32_t n = 1; n <= s->count; n++) {
        s->most = s->first[n + 1] > s->most ? s->first[n + 1] : s->most;
        s->first[n + 1] += s->first[n];
    }
    for (uint32_t i = 0; i < count; i++)
        s->host[s->first[s->number[server_of(from, at[i])]]++] = at[i];
    WEIR_ASSERT(s->first[s->count] == count);
    return true;
}

int weir_placement_order(uint32_t placement, const struct weir_programs_from *from, uint32_t count, uint32_t *at,
                         struct weir_err *err)
{
    struct servers s = { 0 };
    uint32_t next = 0;
    bool ok;
    if (placement == WEIR_PLACEMENT_RAIL_ALIGNED && !from->has_rails)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "placement: packed or spread, or topology: {kind: rail}",
                         "placement: rail-aligned, and hosts have one NIC each: there are no rails");
    ok = find_servers(&s, from, count, at);
    for (uint32_t round = 0; ok && round < s.most; round++)
        for (uint32_t n = 0; n < s.count; n++) {
            uint32_t size = s.first[n + 1] - s.first[n];
            uint32_t step = placement == WEIR_PLACEMENT_SPREAD ? n : 0;
            if (round < size)
                at[next++] = s.host[s.first[n] + (round + step) % size];
        }
    WEIR_ASSERT(!ok || next == count);
    free(s.number);
    free(s.first);
    free(s.host);
    return ok ? 0 : weir_fail_memory(err);
}

/* ---- a file ---- */

struct reading { /* a file that is read */
    const struct weir_programs_from *from;
    struct weir_csv csv;
    bool *has_rank; /* by host */
    uint32_t ranks, count;
    struct weir_err *err;
};

/* Reads one row. @return 0, or a code with r->err */
static int read_row(struct reading *r, uint32_t *at)
{
    struct weir_tok tok = weir_csv_tok(&r->csv, 0);
    uint64_t host;
    if (r->count == r->ranks)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "more rows than there are ranks, which are %u", r->ranks);
    if (r->csv.field_count != 1 || weir_text_u64(&r->csv.field[0], &host) != WEIR_TEXT_OK)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, "row i has the host of rank i, from 0", "'%.*s': no host",
                         (int)r->csv.field[0].length, r->csv.field[0].text);
    if (host >= r->from->hosts)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, NULL, "host %llu: the topology has %u hosts (0 to %u)",
                         (unsigned long long)host, r->from->hosts, r->from->hosts - 1);
    if (r->has_rank[host])
        return weir_fail(r->err, WEIR_E_CONFLICT, &tok, "each rank is at a host of its own",
                         "host %llu has a rank already", (unsigned long long)host);
    r->has_rank[host] = true;
    at[r->count++] = (uint32_t)host;
    return 0;
}

int weir_placement_read(const char *file, const struct weir_programs_from *from, uint32_t ranks, uint32_t *at,
                        struct weir_err *err)
{
    struct reading r = { .from = from, .ranks = ranks, .err = err };
    char *text = NULL;
    int code;
    if (file[0] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example placement_file: hosts.csv",
                         "placement: file needs placement_file");
    code = weir_text_read(file, from->base_dir, &text, err);
    r.has_rank = calloc(from->hosts, sizeof(*r.has_rank));
    if (code == 0 && r.has_rank == NULL)
        code = weir_fail_memory(err);
    if (code == 0)
        r.csv = weir_csv_of(file, text);
    while (code == 0 && weir_csv_next(&r.csv))
        code = read_row(&r, at);
    if (code == 0 && r.count < ranks)
        code = weir_fail(err, WEIR_E_RANGE, &(struct weir_tok){ .file = file }, NULL, "%u rows, and there are %u ranks",
                         r.count, ranks);
    free(r.has_rank);
    free(text);
    return code;
}
