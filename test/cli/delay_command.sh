#!/bin/sh
# test/cli/delay_command.sh - what `weir delay` refuses before it opens a device. Needs no root; test/cli/testbed.sh delays frames.
# usage: delay_command.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

refuse() { # refuse SENTENCE ARGS..
    sentence=$1
    shift
    run 2 delay "$@"
    says err "$sentence"
}

refuse 'delay: start, status or stop?'
refuse "delay: what is 'strat'?" strat
says err "'start'"
refuse 'delay start: between which devices?' start
refuse 'delay: a,b: must be DEVICE,DEVICE,TIME' start a,b
refuse 'delay: ,b,5ms: must be DEVICE,DEVICE,TIME' start ,b,5ms
refuse 'must be DEVICE,DEVICE,TIME' start a-name-too-long-for-a-device,b,5ms
refuse 'delay = 5: unit missing' start a,b,5
refuse 'delay = 999us: must be 1 ms to 200 ms' start a,b,999us
refuse 'delay = 201ms: must be 1 ms to 200 ms' start a,b,5ms c,d,201ms
refuse 'delay: a is given twice' start a,a,5ms
refuse 'delay: b is given twice' start a,b,5ms c,b,5ms
refuse 'delay status: --rate is for start' status --rate 1Gbps
refuse 'delay start: --json is for status and stop' start a,b,5ms --json
refuse 'x: one argument too many' status x

# Without the privilege, or without the device: one sentence, and no process.
called='weir delay start of devices that do not exist'
"$weir" delay start nodev0,nodev1,5ms >out 2>err
status=$?
holds "exit $status, neither 2 nor 3" [ "$status" -eq 2 -o "$status" -eq 3 ]
holds "one sentence and a hint: $(cat err)" [ "$(wc -l <err)" -eq 2 ]

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
