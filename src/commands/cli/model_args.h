/* src/commands/cli/model_args.h - reads the command line of `weir model` into a checked struct. */
#ifndef WEIR_CLI_MODEL_ARGS_H
#define WEIR_CLI_MODEL_ARGS_H
#include "core/err.h"
#include "solve/rpm.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_MODEL_SLOPES_MAX 16u

struct weir_model_args {
    const char *name;                                    /* name of the model, "rpm"; NULL only if help is set */
    struct weir_rpm_model model;                         /* computed from the fields below */
    const char *capacity;                                /* --capacity as given; NULL = not given */
    uint64_t rtt_ps, short_rtt_ps, mtu_bytes, window_ps; /* 0 = not given */
    uint32_t a_ppm, b_ppm, target_pkts, windows;
    double at[WEIR_MODEL_SLOPES_MAX];  /* --at: at_count slopes to integrate, as multiples of the limit */
    double eta[WEIR_MODEL_SLOPES_MAX]; /* --eta: eta_count further slopes, 1/packet */
    uint32_t at_count, eta_count;
    const char *report; /* name of the HTML page; NULL = none */
    bool integrate;     /* at_count or eta_count is not 0 */
    bool json, help;
};

/**
 * Reads argv[1] to argv[argc - 1].
 * @param argv  must stay valid as long as args is used
 * @return 0, or a code with err
 */
int weir_model_args_parse(struct weir_model_args *args, int argc, char **argv, struct weir_err *err);
#endif
