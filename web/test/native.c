/* web/test/native.c - runs a scenario as the module does, for tools/web speed: the same source, by the same compiler, for
 * this machine. Prints the digest and the CPU time of the run. */
#include "engine/sim.h"
#include "setup/setup.h"
#include "web/module.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TEXT_MAX_BYTES = 1 << 20 };

_Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    (void)fprintf(stderr, "%s:%d: %s does not hold\n", file, line, condition);
    abort();
}

static void take_frame(void *ctx, const double *value, uint32_t count)
{
    double *sum = ctx;
    *sum += value[count - 1];
}

static void take_progress(void *ctx, const struct weir_progress *p)
{
    (void)ctx, (void)p;
}

int main(int argc, char **argv)
{
    static char text[TEXT_MAX_BYTES], json[TEXT_MAX_BYTES];
    double sum = 0;
    const struct weir_web_sink sink = { .frame = take_frame, .progress = take_progress, .ctx = &sum };
    FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL, *out = fmemopen(json, sizeof(json), "w");
    struct weir_web *web;
    struct weir_err err;
    const char *digest;
    clock_t began;
    double seconds;
    if (in == NULL || out == NULL)
        return 2;
    text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
    (void)fclose(in);
    if (weir_web_open(&web, &(struct weir_web_source){ .text = text, .length = strlen(text), .law = "" }, &err) != 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    began = clock();
    if (weir_web_run(web, &sink, &err) != 0)
        return 1;
    seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    weir_web_result(out, web);
    (void)fclose(out);
    weir_web_close(web);
    digest = strstr(json, "\"digest\": \"");
    if (digest == NULL)
        return 1;
    (void)printf("%.16s %.3f\n", digest + strlen("\"digest\": \""), seconds);
    return 0;
}
