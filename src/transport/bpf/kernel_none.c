/* src/transport/bpf/kernel_none.c - stands for kernel_switch.c in a build without libbpf or clang. */
#include "bpf/kernel_switch.h"
#include "bpf/law_loader.h"

int weir_kernel_switch_start(struct weir_kernel_switch *sw, struct weir_err *err)
{
    (void)sw;
    return weir_law_possible(err);
}

int weir_kernel_switch_status(struct weir_kernel_status *status, struct weir_err *err)
{
    (void)status;
    return weir_law_possible(err);
}

int weir_kernel_switch_stop(uint32_t *ports, struct weir_err *err)
{
    *ports = 0;
    return weir_law_possible(err);
}

int weir_kernel_switch_clean(uint32_t *removed, struct weir_err *err)
{
    (void)err;
    *removed = 0; /* nothing can be left */
    return 0;
}
