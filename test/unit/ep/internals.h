/* test/unit/ep/internals.h - what tests reach of ep/ beyond weir/weir.h, from this folder and from others. */
#ifndef WEIR_TEST_EP_INTERNALS_H
#define WEIR_TEST_EP_INTERNALS_H
#include "ep/ep.h"
#endif
