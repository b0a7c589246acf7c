/* src/results/output/messages_csv.c - see messages_csv.h. */
#include "output/messages_csv.h"
#include "core/math.h"
#include <inttypes.h>

int weir_messages_csv_header(const struct weir_messages_csv *csv)
{
    int n = fprintf(
        csv->file, "id,src,dst,bytes,start_ps,end_ps,ideal_ps,payload_ideal_ps,slowdown,retransmissions,marks,item%s\n",
        csv->workload->replies ? ",reply_bytes,reply_start_ps,reply_end_ps,call_ps" : "");
    return n > 0 ? 0 : WEIR_E_FILE;
}

/* Writes the columns about the reply to message d. reply: NULL = it has not arrived */
static int csv_reply(const struct weir_messages_csv *csv, const struct weir_delivery *d,
                     const struct weir_delivery *reply)
{
    uint64_t bytes = csv->workload->reply_bytes[d->item];
    if (reply != NULL)
        return fprintf(csv->file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, reply->bytes, reply->start_ps,
                       reply->end_ps, reply->end_ps - d->start_ps);
    return bytes > 0 ? fprintf(csv->file, ",%" PRIu64 ",,,", bytes) : fprintf(csv->file, ",,,,");
}

/* Writes the columns about message d itself. Returns a negative number if that failed. */
static int csv_message(FILE *file, const struct weir_delivery *d)
{
    uint64_t ppm = d->ideal_ps > 0 ? weir_mul_div_u64(d->end_ps - d->start_ps, 1000000, d->ideal_ps) : 0;
    return fprintf(file,
                   "%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                   ",%" PRIu64 ".%06" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32,
                   d->id, d->src, d->dst, d->bytes, d->start_ps, d->end_ps, d->ideal_ps, d->payload_ps, ppm / 1000000,
                   ppm % 1000000, d->retransmissions, d->marks, d->item);
}

int weir_messages_csv_rows(void *file, const struct weir_account_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!row[i].d.is_reply && (csv_message(file, &row[i].d) < 0 || fputc('\n', file) == EOF))
            return WEIR_E_FILE;
    return 0;
}

static int csv_row(const struct weir_messages_csv *csv, const struct weir_delivery *d,
                   const struct weir_delivery *reply)
{
    int n = csv_message(csv->file, d);
    if (n > 0 && csv->workload->replies)
        n = csv_reply(csv, d, reply);
    return n > 0 && fputc('\n', csv->file) != EOF ? 0 : WEIR_E_FILE;
}

/* Handles the row of a message that is replied to, or of a reply. */
static int csv_call(struct weir_messages_csv *csv, const struct weir_delivery *d)
{
    struct weir_delivery other;
    bool found;
    int code = weir_calls_pair(&csv->calls, d, &other, &found);
    if (code != 0 || !found)
        return code;
    return d->is_reply ? csv_row(csv, &other, d) : csv_row(csv, d, &other);
}

int weir_messages_csv_pairs(void *ctx, const struct weir_account_row *row, size_t count)
{
    struct weir_messages_csv *csv = ctx;
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        bool is_call = csv->workload->reply_bytes[row[i].d.item] > 0; /* also of a reply, which has the same item */
        code = is_call ? csv_call(csv, &row[i].d) : csv_row(csv, &row[i].d, NULL);
    }
    return code;
}

int weir_messages_csv_end(struct weir_messages_csv *csv)
{
    int code = 0;
    weir_calls_sort(&csv->calls);
    for (size_t i = 0; i < csv->calls.count && code == 0; i++)
        code = csv->calls.slot[i].d.is_reply ? 0 : csv_row(csv, &csv->calls.slot[i].d, NULL);
    return code;
}

void weir_messages_csv_free(struct weir_messages_csv *csv)
{
    weir_calls_free(&csv->calls);
}
