/* test/unit/weir_test.h - cmocka, and the four headers it wants before it. */
#ifndef WEIR_TEST_H
#define WEIR_TEST_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#endif
