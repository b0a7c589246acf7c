#!/bin/sh
# test/cli/playground.sh - weir playground: where the page goes, what is in it, what is refused. The page itself is a small one here;
# tools/web browser opens the real one.
# usage: playground.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

mkdir -p bare/bin with/bin/web
cp "$weir" bare/bin/weir
cp "$weir" with/bin/weir
cat >with/bin/web/weir-web.html <<'END'
<!doctype html>
<script type="application/json" id="weir-data">null</script>
<p>the end
END
cat >net.yaml <<'END'
# a comment with </script> in it
topology: {kind: star, hosts: 4, host_link: 100 Gbps, host_delay: 1 us}
protocol: dctcp
traffic: [{kind: flows, file: list.csv}, {kind: poisson, sizes: websearch, load: 10%}]
run: {warmup: 0 us, measure: 100 us}
END
printf 'src,dst,bytes,start\n0,1,1 MB,0 us\n' >list.csv

data() { # data FILE EXPRESSION: a value of the data in a page
    python3 -c 'import json, re, sys
text = open(sys.argv[1]).read()
d = json.loads(re.search(r"id=\"weir-data\">(.*?)</script>", text, re.S).group(1))
print(eval(sys.argv[2]))' "$1" "$2" >value
}

# --- a build without the page says so, after what is wrong with the command ---
weir=$dir/bare/bin/weir
run 2 playground
says err 'weir: this build of weir has no page with the simulator in it'
says err './dev web builds it'
run 2 playground --hlep
says err "'--help'"
run 0 playground --help
says out 'weir playground [FILE]... [options]'
weir=$dir/with/bin/weir

# --- the page ---
run 0 playground
says out 'playground.html: open it in a browser'
data playground.html 'd["scenarios"]'
says value '[]'
run 0 playground net.yaml
says out 'net.html: '
data net.html 'd["scenarios"][0]["text"] == open("net.yaml").read()'
says value True
data net.html 'd["scenarios"][0]["files"] == {"list.csv": open("list.csv").read()}' # and no built-in distribution
says value True
data net.html '[s["name"] for s in d["scenarios"]]'
says value "['net.yaml']"
says net.html '<p>the end'
mkdir sub
cp net.yaml list.csv sub
run 0 playground sub/net.yaml net.yaml -o both.html
data both.html '[len(s["files"]) for s in d["scenarios"]]'
says value '[1, 1]'
run 0 playground net.yaml -o -
holds 'the page on stdout is that of the file' cmp -s out net.html
holds 'nothing on stderr' test ! -s err
run 0 playground net.yaml # a page is replaced
echo text >kept.html
run 2 playground net.yaml -o kept.html
says err 'kept.html: is there and is no HTML page: not overwritten'
run 2 playground net.yaml -o net.yaml
says err 'net.yaml: is there and is no HTML page'
run 2 playground -o
says err '-o: '
run 2 playground net.yaml -o nowhere/a.html
says err 'nowhere/a.html'

# --- scenarios that weir run refuses, and what a page cannot hold ---
run 2 playground missing.yaml
says err 'missing.yaml'
sed 's/dctcp/dctpc/' net.yaml >bad.yaml
run 2 playground net.yaml bad.yaml
says err 'bad.yaml:3:11: '
holds 'no page of it' test ! -e bad.html
sed 's/list.csv/..\/list.csv/' net.yaml >sub/up.yaml
run 2 playground sub/up.yaml
says err '../list.csv: a page holds only files below the folder of their scenario'
{ cat net.yaml; head -c 1048576 /dev/zero | tr '\0' '#'; } >large.yaml
run 2 playground large.yaml
says err 'large.yaml: '
{ cat list.csv; head -c 1048576 /dev/zero | tr '\0' '\n'; } >long.csv
sed 's/list.csv/long.csv/' net.yaml >long.yaml
run 2 playground long.yaml
says err 'long.csv: '
printf '<p>another page' >with/bin/web/weir-web.html
run 2 playground net.yaml
says err 'the page weir-web.html is of another version of weir, or was cut'

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
