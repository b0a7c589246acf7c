/* src/results/output/profile_print.c - see profile_print.h. */
#include "output/profile_print.h"
#include "text/format.h"
#include <inttypes.h>

/* Returns 100 * part / whole; 0 of nothing. */
static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100 * (double)part / (double)whole;
}

/* Prints what each rank sent to the others, together, after each window. */
static void print_ranks(FILE *out, const struct weir_profile *profile)
{
    (void)fprintf(out, "%6s%16s%16s%24s\n", "rank", "bytes sent", "packets sent", "bytes after a window");
    for (uint32_t r = 0; r < profile->ranks; r++) {
        const struct weir_profile_rank *rank = &profile->rank[r];
        (void)fprintf(out, "%6" PRIu32 "%16s%16s%24s\n", r, weir_format_grouped(rank->bytes).text,
                      weir_format_grouped(rank->pkts).text,
                      weir_format_grouped(rank->rounds == 0 ? 0 : rank->bytes / rank->rounds).text);
    }
}

/* Prints how much faster all threads can be than one, by their shares of the hops of each window. */
static void print_balance(FILE *out, const struct weir_profile *profile, uint64_t hops)
{
    double times = profile->busiest_hops == 0 ? 1 : (double)hops / (double)profile->busiest_hops;
    (void)fprintf(out, "balance: %.2f of %" PRIu32 ", by the packets of the busiest thread of each window\n", times,
                  profile->threads);
}

void weir_profile_print(FILE *out, const struct weir_profile *profile, uint64_t wall_ns)
{
    uint64_t hops = 0;
    for (uint32_t t = 0; t < profile->threads; t++)
        hops += profile->thread[t].hops;
    (void)fprintf(out, "\nprofile: %s windows, %s packet-hops, %.1f in a window",
                  weir_format_grouped(profile->windows).text, weir_format_grouped(hops).text,
                  profile->windows == 0 ? 0 : (double)hops / (double)profile->windows);
    if (wall_ns > 0 && profile->windows > 0)
        (void)fprintf(out, "; %s a window", weir_format_ps(wall_ns / profile->windows * 1000).text);
    (void)fprintf(out, "\n%6s%9s%10s%16s%8s%16s%16s\n", "thread", "hosts", "switches", "packet-hops", "share", "waits",
                  "empty windows");
    for (uint32_t t = 0; t < profile->threads; t++) {
        const struct weir_profile_thread *thread = &profile->thread[t];
        (void)fprintf(out, "%6" PRIu32 "%9" PRIu32 "%10" PRIu32 "%16s%7.1f%%%15.1f%%%15.1f%%\n", t, thread->hosts,
                      thread->switches, weir_format_grouped(thread->hops).text, percent(thread->hops, hops),
                      percent(thread->waited_hops, profile->busiest_hops),
                      percent(thread->empty_windows, profile->windows));
    }
    if (profile->ranks > 1)
        print_ranks(out, profile);
    print_balance(out, profile, hops);
}
