/* test/unit/host/internals.h - what tests reach of host/ beyond its public headers, from this folder and from others. A change of the
 * room's inner headers changes this file and not each test. */
#ifndef WEIR_TEST_HOST_INTERNALS_H
#define WEIR_TEST_HOST_INTERNALS_H
#include "host/common/host_internal.h"
#include "host/credit/credit.h"
#include "host/stream/rto.h"
#endif
