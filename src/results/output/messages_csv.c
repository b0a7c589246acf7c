/* src/results/output/messages_csv.c - see messages_csv.h. */
#include "output/messages_csv.h"
#include "core/math.h"
#include <inttypes.h>

int weir_messages_csv_header(FILE *file)
{
    int n = fprintf(file,
                    "id,src,dst,bytes,start_ps,end_ps,ideal_ps,payload_ideal_ps,slowdown,retransmissions,marks,item\n");
    return n > 0 ? 0 : WEIR_E_FILE;
}

static int csv_row(FILE *file, const struct weir_delivery *d)
{
    uint64_t ppm = d->ideal_ps > 0 ? weir_mul_div_u64(d->end_ps - d->start_ps, 1000000, d->ideal_ps) : 0;
    int n = fprintf(file,
                    "%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                    ",%" PRIu64 ".%06" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n",
                    d->id, d->src, d->dst, d->bytes, d->start_ps, d->end_ps, d->ideal_ps, d->payload_ps, ppm / 1000000,
                    ppm % 1000000, d->retransmissions, d->marks, d->item);
    return n > 0 ? 0 : WEIR_E_FILE;
}

int weir_messages_csv_rows(void *file, const struct weir_account_row *row, size_t count)
{
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = row[i].d.is_reply ? 0 : csv_row(file, &row[i].d);
    return code;
}
