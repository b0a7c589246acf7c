#!/bin/sh
# test/cli/bisect.sh - weir bisect: equal runs, programs that differ by a key, and what it refuses. Other programs are scripts that call this one.
# usage: bisect.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
from=$PWD/test/golden/go-back.yaml # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"

sed 's/measure: 5 ms/measure: 150 us/' "$from" >short.yaml

program() { # program NAME ARGS..: a program that is weir with these arguments behind the others
    name=$1
    shift
    printf '#!/bin/sh\nexec "%s" "$@" %s\n' "$weir" "$*" >"$name"
    chmod +x "$name"
}

run 0 bisect short.yaml --threads 1,2
says out 'no packet differs: all '
run 0 bisect short.yaml --ranks 1,2 --seed 5 --json
says out '"equal": true'
says out '"at_s": null'
says out '"packet": null'

# --- another threshold: the first packet that has a mark in one of them ---
program other --set fabric.ecn.threshold=21KB
run 1 bisect short.yaml --with ./other
cp out with-other
says out ' events are equal; at 197661120 ps packet data:0:6:0:11 is the first that differs'
holds 'both states' [ "$(sed -n '2p;4p' out)" = "with this program:
with ./other:" ]
holds 'of the same event' [ "$(sed -n '3p;5p' out | grep -c '^  197661120 ps  sent on leaf 1 > host 6  ')" = 2 ]
holds 'one with a mark' [ "$(sed -n '3p;5p' out | sed 's/.*flags//')" = " ECT CE RETX
 ECT RETX" ]
holds 'the path begins at the host' [ "$(sed -n '6,7p' out | cut -c 1-45)" = "its path until then:
  174223360 ps  sent on host 0 > leaf 0  msg " ]
holds 'the path ends there' [ "$(tail -n 1 out | cut -d ' ' -f 3)" = 197661120 ]
run 1 bisect short.yaml --with ./other --json
says out '"at_s": 0.000197661120'
says out '"packet": "data:0:6:0:11"'
events=$(sed -n 's/.*"equal_events": \([0-9]*\).*/\1/p' out)
run 0 run short.yaml --digest-until '197661119 ps'
says out "events         $events"
cp out before
"$weir" run short.yaml --digest-until '197661119 ps' --set fabric.ecn.threshold=21KB >out
holds 'equal a picosecond before' cmp -s before out
run 0 run short.yaml --digest-until '197661120 ps' --json
says out '"until_s": 0.000197661120'
says out '{"packet": "data:0:6:0:11", "at_s": 0.000197661120, "place": "sent on leaf 1 > host 6"'

# --- an event that one run has alone ---
program seed --set run.seed=92
run 1 bisect short.yaml --with ./seed
says out '0 events are equal; at '

# --- packets that are equal while all ports are observed, and digests that are not ---
printf '#!/bin/sh\ncase $* in *--digest-until*) exec "%s" "$@" ;; esac\nexec "%s" "$@" --set run.seed=92\n' "$weir" "$weir" >hidden
chmod +x hidden
run 3 bisect short.yaml --with ./hidden
says err 'but no packet does while all ports are observed'

# --- the module of pages: node is a script here, which calls this program; tools/web check has the module itself ---
mkdir -p with/bin/web bare/bin
cp "$weir" with/bin/weir
cp "$weir" bare/bin/weir
touch with/bin/web/weir-node.mjs with/bin/web/weir-web.html my.wasm
node() { # node TEXT: what node does; $1 is the script, $2 the module, then come the arguments of weir
    # shellcheck disable=SC2016 # the script expands it
    printf '#!/bin/sh\nscript=$1 module=$2\nshift 2\n%s\n' "$1" >with/bin/node
    chmod +x with/bin/node
}
of_tree=$weir own_path=$PATH
weir=$dir/with/bin/weir
PATH=$dir/with/bin:$PATH
node "exec '$weir' \"\$@\" --set fabric.ecn.threshold=21KB"
run 1 bisect short.yaml --wasm
says out 'with the WebAssembly module:'
sed 's/the WebAssembly module/.\/other/' out >seen
holds 'it differs where a program does' cmp -s with-other seen
node "[ \"\$script \$module\" = '$dir/with/bin/web/weir-node.mjs my.wasm' ] && exec '$weir' \"\$@\""
mv with/bin/web/weir-web.html page.html # a module of one's own needs no page
run 0 bisect short.yaml --wasm=my.wasm --set run.measure=3us
mv page.html with/bin/web/weir-web.html
says out 'no packet differs: all '

# --- refusals ---
refused() { # refused TEXT ARGS..
    text=$1
    shift
    run 2 "$@"
    says err "$text"
    holds 'one sentence, and at most a hint' [ "$(grep -vc '^  hint: ' err)" -eq 1 ]
    holds 'nothing printed' [ ! -s out ]
}
refused 'bisect: which scenario?' bisect
refused 'bisect: which two runs?' bisect a.yaml
refused 'is the scenario already' bisect a.yaml b.yaml --threads 1,2
refused 'not in 2' bisect a.yaml --threads 1,2 --ranks 1,2
refused 'the two runs would be one' bisect a.yaml --threads 2,2
refused 'must be two numbers' bisect a.yaml --ranks 2
refused 'must be two numbers' bisect a.yaml --threads ,2
refused '--threads' bisect a.yaml --threads 1,x
refused 'cannot be read' bisect nosuch.yaml --threads 1,2
refused 'there is no program ./nosuch' bisect short.yaml --with ./nosuch
program keys --set host.unknown=1
refused "bisect: ./keys does not run it: --set: unknown key 'unknown' in host" bisect short.yaml --with ./keys
printf '#!/bin/sh\necho "weir: --digest-until: no such option" >&2\nexit 2\n' >old
chmod +x old
refused 'bisect: ./old has no --digest-until: it is older' bisect short.yaml --with ./old
refused 'printed no digest of packets: is it weir?' bisect short.yaml --with true
refused 'bisect: the two runs differ in one thing, not in 2' bisect short.yaml --wasm --threads 1,2
refused 'bisect: the two runs differ in one thing, not in 3' bisect short.yaml --wasm=my.wasm --with ./other --ranks 1,2
refused '--wasm=nosuch.wasm: cannot be read: No such file' bisect short.yaml --wasm=nosuch.wasm
node 'echo "it is a module of another program" >&2; exit 2'
refused 'bisect: my.wasm does not run it: it is a module of another program' bisect short.yaml --wasm=my.wasm
says err 'hint: doc/bisect.md says what the module does not run'
refused 'bisect: the WebAssembly module does not run it: it is a module' bisect short.yaml --wasm
node 'echo "--digest-until: the module has no such call" >&2; exit 2'
refused 'bisect: the WebAssembly module has no --digest-until: it is older' bisect short.yaml --wasm
printf '#!/bin/sh\nPATH=%s exec "%s" "$@"\n' "$dir/bare/bin" "$weir" >without
chmod +x without
weir=$dir/without
refused 'bisect: there is no program node' bisect short.yaml --wasm
says err 'hint: node runs the module: 20 or newer'
weir=$dir/with/bin/weir PATH=$own_path
rm with/bin/web/weir-web.html
refused 'bisect: this build of weir has no weir-web.html, which --wasm needs' bisect short.yaml --wasm
weir=$dir/bare/bin/weir
refused 'bisect: this build of weir has no weir-node.mjs, which --wasm needs' bisect short.yaml --wasm
refused 'bisect: this build of weir has no weir-node.mjs, which --wasm needs' bisect short.yaml --wasm=my.wasm
weir=$of_tree
refused '--digest-packet data:1:2:3: no packet has such a name' run short.yaml --digest-until 3us --digest-packet data:1:2:3
refused '--digest-packet: is for --digest-until' run short.yaml --digest-packet data:1:2:3:4
refused '--digest-until: prints a digest' run short.yaml --digest-until 3us -o out.db
refused '--digest-until: prints a digest' run short.yaml --digest-until 3us --links out.csv
refused '--digest-until' run short.yaml --digest-until 0ps

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
