/* test/unit/host/internals.h - what tests reach of host/ beyond its public headers, from this folder and from others. A change of the
 * room's inner headers changes this file and not each test. */
#ifndef WEIR_TEST_HOST_INTERNALS_H
#define WEIR_TEST_HOST_INTERNALS_H
#include "host/common/reassembly.h"
#include "host/common/table.h"
#include "host/common/timers.h"
#include "host/credit/control.h"
#include "host/credit/grant.h"
#include "host/credit/measure.h"
#include "host/credit/peers.h"
#include "host/credit/records.h"
#include "host/credit/rtt.h"
#include "host/credit/window.h"
#include "host/stream/connection.h"
#include "host/stream/inbound.h"
#include "host/stream/loss.h"
#include "host/stream/notes.h"
#include "host/stream/peers.h"
#include "host/stream/ready.h"
#include "host/stream/rto.h"
#include "host/stream/schedule.h"
#include "host/stream/tcp.h"
#endif
