/* src/transport/bpf/law_none.c - stands for law_loader.c and events.c in a build without libbpf or clang. */
#include "bpf/law_loader.h"
#include "bpf/law_replay.h"

int weir_law_possible(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_RUN, NULL, "build it where clang, llvm-strip and libbpf are",
                     "this weir was built without programs for the kernel");
}

int weir_law_load(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err)
{
    int code = weir_law_keys_read(options, loaded, err);
    return code != 0 ? code : weir_law_possible(err);
}

int weir_law_status(const char *law, struct weir_law_loaded *loaded, struct weir_err *err)
{
    (void)law, (void)loaded;
    return weir_law_possible(err);
}

int weir_law_unload(const char *law, bool *lives, struct weir_err *err)
{
    (void)law;
    *lives = false;
    return weir_law_possible(err);
}

int weir_law_weigh_cgroup(const char *law, uint64_t cgroup, uint32_t weight_milli, struct weir_err *err)
{
    (void)law, (void)cgroup, (void)weight_milli;
    return weir_law_possible(err);
}

int weir_law_budget_cgroup(const char *law, uint64_t cgroup, uint64_t limit_milli, struct weir_err *err)
{
    (void)law, (void)cgroup, (void)limit_milli;
    return weir_law_possible(err);
}

bool weir_law_next_budget(const char *law, uint64_t *cgroup, struct weir_tcp_budget *budget)
{
    (void)law;
    *cgroup = 0;
    *budget = (struct weir_tcp_budget){ 0 };
    return false;
}

int weir_audit_kernel(const char *law, uint64_t for_ps, const volatile int *stop, weir_audit_row *row, void *context,
                      struct weir_err *err)
{
    (void)law, (void)for_ps, (void)stop, (void)row, (void)context;
    return weir_law_possible(err);
}

int weir_law_clean(uint32_t *removed, struct weir_err *err)
{
    *removed = 0;
    return weir_law_possible(err);
}

int weir_replay_kernel(const char *law, uint64_t for_ps, const volatile int *stop, FILE *csv,
                       struct weir_replay_result *result, struct weir_err *err)
{
    (void)law, (void)for_ps, (void)stop, (void)csv, (void)result;
    return weir_law_possible(err);
}
