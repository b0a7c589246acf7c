/* src/transport/bpf/kernel_none.c - stands for kernel_switch.c in a build without libbpf or clang. */
#include "bpf/kernel_switch.h"
#include "bpf/law_loader.h"

/* Says what a kernel without a switch says. */
static int none_runs(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_CONFLICT, NULL,
                     "each network namespace has its own: ip netns exec NAME weir switch ..",
                     "no switch is running here");
}

int weir_kernel_switch_start(struct weir_kernel_switch *sw, struct weir_err *err)
{
    (void)sw;
    return weir_law_possible(err);
}

int weir_kernel_switch_status(struct weir_kernel_status *status, struct weir_err *err)
{
    (void)status;
    return none_runs(err);
}

int weir_kernel_switch_stop(uint32_t *ports, struct weir_err *err)
{
    *ports = 0;
    return none_runs(err);
}

int weir_kernel_switch_clean(uint32_t *removed, struct weir_err *err)
{
    (void)err;
    *removed = 0; /* nothing can be left */
    return 0;
}
