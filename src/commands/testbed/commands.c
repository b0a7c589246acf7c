/* src/commands/testbed/commands.c - see commands.h. */
#include "testbed/commands.h"
#include <stdio.h>

void weir_fig_args_tcp(struct weir_fig_args *args, const char *cc)
{
    weir_fig_args_add(args, "--transport", "tcp", "--tcp-cc", cc, (const char *)NULL);
}

int weir_fig_serve(struct weir_figs *figs, uint32_t host, const struct weir_fig_args *options, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char address[24];
    int job;
    (void)snprintf(address, sizeof(address), "10.77.0.%u" WEIR_FIG_PORT, (unsigned)host);
    weir_fig_args_add(&a, "serve", "--bind", address, "--reply", "8 B", "--json", (const char *)NULL);
    for (size_t i = 0; i < options->count; i++)
        weir_fig_args_add(&a, options->text[i], (const char *)NULL);
    job = weir_testbed_start(&figs->tb, host, a.text, err);
    return job < 0 || weir_testbed_ready(&figs->tb, job, err) == 0 ? job : -1;
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
