/* examples/shares.c - shares of a network by libweirsim, as flows come. doc/allocate.md. */
#include <stdio.h>
#include <string.h>
#include <weir/sim.h>

static const char network[] = "topology: {kind: star, hosts: 8, host_link: 100 Gbps, host_delay: 1 us}\n"
                              "protocol: dctcp\n"
                              "traffic: [{kind: session}]\n"
                              "run: {warmup: 0 us, measure: all}\n";

int main(void)
{
    struct weir_sim_error error;
    struct weir_sim_shares *shares = weir_sim_shares_open(network, strlen(network), NULL, &error);
    struct weir_sim_change add = { .size = sizeof(add), .kind = WEIR_SIM_ADD, .src = 0, .dst = 5, .weight = 1 };
    struct weir_sim_changed changed = { .size = sizeof(changed) };
    if (shares == NULL)
        return fprintf(stderr, "%s:%u: %s\n", error.file, error.line, error.text) > 0;
    for (add.src = 0; add.src < 3; add.src++)
        if (weir_sim_shares_change(shares, &add, &changed) == 0)
            printf("flow %u: %u flows have other rates\n", changed.flow, changed.share_count);
    weir_sim_shares_close(shares);
    return 0;
}
