#!/bin/sh
# test/cli/bisect_wasm.sh - weir bisect --wasm with the module itself, as tools/web builds it. bisect.sh has what needs no module.
# usage: bisect_wasm.sh BINARY OUT, of `tools/web build OUT`
# shellcheck source=test/cli/lib.sh
set -u
golden=$PWD/test/golden
web=$2
. "$(dirname "$0")/lib.sh"

sed 's/measure: 5 ms/measure: 150 us/' "$golden/go-back.yaml" >short.yaml

# --- no difference: the module in the page, then in a file; it reads the files that a scenario names ---
run 0 bisect short.yaml --wasm
says out 'no packet differs: all 2,693 events are equal'
run 0 bisect "$golden/trace.yaml" --wasm="$web/weir.wasm" --seed 3 --json
says out '"equal": true'

# --- a difference: node is a script that hands the module another threshold. The packet is the one of a program that does the same ---
real=$(command -v node) || exit 1
mkdir other
printf '#!/bin/sh\nexec "%s" "$@" --set fabric.ecn.threshold=21KB\n' "$real" >other/node
printf '#!/bin/sh\nexec "%s" "$@" --set fabric.ecn.threshold=21KB\n' "$weir" >other/weir
chmod +x other/node other/weir
run 1 bisect short.yaml --with other/weir
sed 's,other/weir,the WebAssembly module,' out >wanted
own_path=$PATH
PATH=$dir/other:$PATH
run 1 bisect short.yaml --wasm
says out 'packet data:0:6:0:11 is the first that differs'
holds 'the packet of a program' cmp -s wanted out
PATH=$own_path

# --- what the module refuses, and modules that are none; a run of this program comes first, so they are short ---
refused() { # refused TEXT ARGS..
    text=$1
    shift
    run 2 bisect "$@"
    says err "$text"
    holds 'one sentence, and at most a hint' [ "$(grep -vc '^  hint: ' err)" -eq 1 ]
    holds 'nothing printed' [ ! -s out ]
}
cat >auto.yaml <<'END'
topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: dctcp
traffic: [{kind: poisson, sizes: 2 KB, load: 30%}]
run: {warmup: 0 us, measure: auto}
END
refused 'bisect: the WebAssembly module does not run it: auto.yaml:4:6: run.measure: auto' auto.yaml --wasm
says err 'hint: doc/bisect.md says what the module does not run'
printf 'no module' >text.wasm
refused 'bisect: text.wasm does not run it: it is neither a module of WebAssembly nor a page with one' short.yaml --wasm=text.wasm
head -c 1000 "$web/weir.wasm" >cut.wasm
refused 'bisect: cut.wasm does not run it: the module is damaged, or node is too old for it: ' short.yaml --wasm=cut.wasm
printf '\0asm\1\0\0\0' >empty.wasm
refused 'bisect: empty.wasm does not run it: it is a module of another program' short.yaml --wasm=empty.wasm
# a type, no import, a function, and its name: weir_open
printf '\0asm\1\0\0\0\1\4\1\140\0\0\3\2\1\0\7\15\1\11weir_open\0\0\12\4\1\2\0\13' >old.wasm
refused 'bisect: old.wasm has no --digest-until: it is older' short.yaml --wasm=old.wasm

# --- the script alone: what bisect does not ask it, and a seed that is none ---
script() { # script STATUS ARGS..
    want=$1
    shift
    called="node weir-node.mjs $*"
    "$real" "$web/weir-node.mjs" "$web/weir.wasm" "$@" >out 2>err </dev/null
    got=$?
    holds "exit $got, not $want; stderr: $(cat err)" [ "$got" -eq "$want" ]
}
script 2 run
says err 'usage: node weir-node.mjs MODULE run FILE'
script 2 run short.yaml --threads 2
says err '--threads 2: the module cannot do that'
script 2 run nosuch.yaml
says err 'nosuch.yaml: cannot be read'
script 2 run short.yaml --seed x
says err 'seed = x: not a whole number'
sed "s,file: \([^/ }]*\),file: $golden/\1," "$golden/trace.yaml" >whole_name.yaml
holds 'a scenario names a file from the root' grep -q "file: $golden/" whole_name.yaml
script 0 run whole_name.yaml --digest-until '1000000 ps'
sed 's,file: ,file: gone-,' "$golden/trace.yaml" >gone.yaml
script 2 run gone.yaml
says err "$("$weir" run gone.yaml 2>&1 | head -n 1)"
script 0 run short.yaml --seed 5
cp out module
run 0 run short.yaml --seed 5
holds 'the digest of the run' [ "$(sed -n 's/^digest  *//p' out)" = "$(sed -n 's/^digest  *//p' module)" ]

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
