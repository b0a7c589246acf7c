#!/bin/sh
# bench/scrape.sh [PROGRAM] - what the metrics of a server cost, in instructions that callgrind counts: a text beside a second of calls, of 100
# bytes each way, in virtual time. PROGRAM: bench/endpoint_calls.c as it is built. Counted is what the server runs, without the network of memory.
# Two runs of different length, and two with and without texts: their differences leave set-up out.
set -eu
program=${1:-build/bench/bench_endpoint_calls}
rate=100000 # calls a second
command -v valgrind >/dev/null || { echo "scrape: valgrind is not installed, so nothing is counted"; exit 0; }
count() { # ms, texts a second -> "calls texts instructions"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='server_*' --toggle-collect=mem_send --toggle-collect=mem_recv \
        --toggle-collect=mem_clock_ns "$program" "$rate" "$1" "$2" 2>&1 |
        awk '/^calls / { c = $2; t = $6 } /Collected/ { i = $4 } END { if (c == "" || i == "") exit 1; print c, t, i }'
}
short=$(count 20 0) && long=$(count 60 0) && texts=$(count 60 1000) || { echo "scrape: $program does not run" >&2; exit 1; }
echo "$short $long $texts" | awk -v rate="$rate" '{
    call = ($6 - $3) / ($4 - $1); text = ($9 - $6) / ($8 - $5)
    printf "{\"bench\": \"scrape\", \"instructions_per_call\": %.0f, \"instructions_per_text\": %.0f, \"calls_per_s\": %d, ", call, text, rate
    printf "\"one_text_a_second_percent\": %.4f, \"one_percent_at_calls_per_s\": %.0f}\n", 100 * text / (call * rate), 100 * text / call }'
