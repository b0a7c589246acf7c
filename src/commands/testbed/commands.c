/* src/commands/testbed/commands.c - see commands.h. */
#include "testbed/commands.h"
#include <stdio.h>

#define FIRST_RTT "500us" /* for the calls by which the round trip is measured */

void weir_fig_args_tcp(struct weir_fig_args *args, const char *cc)
{
    weir_fig_args_add(args, "--transport", "tcp", "--tcp-cc", cc, (const char *)NULL);
}

void weir_fig_args_weir(struct weir_fig_args *args, const char *cc, const char *rtt)
{
    weir_fig_args_add(args, "--transport", "weir", "--cc", cc, "--rate", "200 Mbps", "--rtt", rtt, "--spin", "1us",
                      (const char *)NULL);
}

void weir_fig_server_at(uint32_t host, char out[WEIR_FIG_ADDRESS])
{
    (void)snprintf(out, WEIR_FIG_ADDRESS, "10.77.0.%u" WEIR_FIG_PORT, (unsigned)host);
}

int weir_fig_serve(struct weir_figs *figs, uint32_t host, const struct weir_fig_args *options, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char address[WEIR_FIG_ADDRESS];
    int job;
    weir_fig_server_at(host, address);
    weir_fig_args_add(&a, "serve", "--bind", address, "--reply", "8 B", "--json", (const char *)NULL);
    for (size_t i = 0; i < options->count; i++)
        weir_fig_args_add(&a, options->text[i], (const char *)NULL);
    job = weir_testbed_start(&figs->tb, host, a.text, err);
    return job < 0 || weir_testbed_ready(&figs->tb, job, err) == 0 ? job : -1;
}

int weir_fig_serve_weir(struct weir_figs *figs, uint32_t host, const char *cc, const char *rtt, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    weir_fig_args_weir(&a, cc, rtt);
    return weir_fig_serve(figs, host, &a, err);
}

int weir_fig_rtt(struct weir_figs *figs, const char *cc, uint32_t from, uint32_t to, const char *size, double *rtt_us,
                 struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char peer[WEIR_FIG_ADDRESS];
    int server = weir_fig_serve_weir(figs, to, cc, FIRST_RTT, err), job, code;
    if (server < 0)
        return (int)err->code;
    weir_fig_server_at(to, peer);
    weir_fig_args_add(&a, "ping", peer, "--size", size, "--reply", "8 B", "--interval", "2ms", "--count", "300",
                      "--json", (const char *)NULL);
    weir_fig_args_weir(&a, cc, FIRST_RTT);
    job = weir_testbed_start(&figs->tb, from, a.text, err);
    code = job < 0 ? (int)err->code : weir_fig_number(figs, job, "$.rtt_us.p50", rtt_us, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

int weir_fig_end(struct weir_figs *figs, int server, struct weir_err *err)
{
    const char *text;
    weir_testbed_stop(&figs->tb, server);
    return weir_testbed_wait(&figs->tb, server, figs->arena, &text, err);
}

const char *weir_fig_output(struct weir_figs *figs, uint32_t at, const char *const *args, struct weir_err *err)
{
    const char *text = NULL;
    int job = weir_testbed_start(&figs->tb, at, args, err);
    return job < 0 || weir_testbed_wait(&figs->tb, job, figs->arena, &text, err) != 0 ? NULL : text;
}

int weir_fig_number(struct weir_figs *figs, int job, const char *json_path, double *value, struct weir_err *err)
{
    const char *text;
    int code = weir_testbed_wait(&figs->tb, job, figs->arena, &text, err);
    return code == 0 ? weir_json_number(text, json_path, value, err) : code;
}
