/* src/scenario/model/account_samples.c - see account.h: sums over samples of credit and queues. */
#include "core/credit.h"
#include "model/account.h"

void weir_account_credit_add(struct weir_account_credit *sum, const struct weir_host *h, uint64_t times)
{
    struct weir_credit_sums one;
    weir_host_credit(h, &one);
    sum->outstanding_bytes += one.outstanding_bytes * (int64_t)times;
    sum->held_bytes += one.held_bytes * times;
    if ((int64_t)one.bucket_bytes > one.outstanding_bytes)
        sum->free_bytes += (uint64_t)((int64_t)one.bucket_bytes - one.outstanding_bytes) * times;
}

uint64_t weir_account_credit_in_flight(const struct weir_account_credit *sum)
{
    int64_t bytes = sum->outstanding_bytes - (int64_t)sum->held_bytes;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

void weir_account_average(struct weir_histogram *h, uint64_t *sum_bytes, uint64_t millibytes, uint64_t times)
{
    uint64_t bytes = (millibytes + 500) / 1000;
    weir_histogram_add_times(h, bytes, times);
    *sum_bytes += bytes * times; /* the sum fits: 64 MB each microsecond at ten switches would last eight hours */
}

void weir_account_samples_merge(struct weir_account_samples *s, const struct weir_account_samples *from)
{
    weir_histogram_merge(&s->tor, &from->tor);
    weir_histogram_merge(&s->port, &from->port);
    weir_histogram_merge(&s->tor_average, &from->tor_average);
    weir_histogram_merge(&s->port_average, &from->port_average);
    s->tor_bytes += from->tor_bytes;
    s->port_bytes += from->port_bytes;
    s->tor_average_bytes += from->tor_average_bytes;
    s->port_average_bytes += from->port_average_bytes;
    s->credit.outstanding_bytes += from->credit.outstanding_bytes;
    s->credit.held_bytes += from->credit.held_bytes;
    s->credit.free_bytes += from->credit.free_bytes;
}

void weir_account_samples_move(struct weir_account_samples *s, struct weir_account_samples *from)
{
    weir_histogram_move(&s->tor, &from->tor);
    weir_histogram_move(&s->port, &from->port);
    weir_histogram_move(&s->tor_average, &from->tor_average);
    weir_histogram_move(&s->port_average, &from->port_average);
    s->credit_count += from->credit_count;
    weir_account_samples_merge(s, from); /* the sums: the histograms are empty now */
    from->tor_bytes = from->port_bytes = 0;
    from->tor_average_bytes = from->port_average_bytes = from->credit_count = 0;
    from->credit = (struct weir_account_credit){ 0 };
}
