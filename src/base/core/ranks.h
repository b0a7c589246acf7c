/* src/base/core/ranks.h - how many processes one simulation may have. */
#ifndef WEIR_CORE_RANKS_H
#define WEIR_CORE_RANKS_H
#define WEIR_SIM_RANKS_MAX 64u
#endif
