/* src/transport/bpf/option.h - the private level of setsockopt() that gives a socket its weight. As the TCP option, it
 * is a contract between kernels, programs and applications. */
#ifndef WEIR_BPF_OPTION_H
#define WEIR_BPF_OPTION_H
#include "wire/delay_option.h"

/* setsockopt(fd, WEIR_SOL, WEIR_SO_WEIGHT_MILLI, &weight, sizeof(weight)): the weight in thousandths, uint32_t, 1 ..
 * 1000000. Without it SO_PRIORITY is the weight. */
#define WEIR_SOL 0x5765
#define WEIR_SO_WEIGHT_MILLI 1
#define WEIR_WEIGHT_MILLI_MAX 1000000u

/* Returns the weight in thousandths that a value of SO_PRIORITY means: 0 = 1, 1 .. 6 as they are, from 1000 on
 * thousandths; 1 also for other values. */
static inline uint32_t weir_weight_of_priority(uint32_t priority)
{
    if (priority >= 1 && priority <= 6)
        return priority * 1000;
    if (priority < 1000)
        return 1000;
    return priority < WEIR_WEIGHT_MILLI_MAX ? priority : WEIR_WEIGHT_MILLI_MAX;
}
#endif
