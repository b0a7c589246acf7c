#!/bin/sh
# test/cli/report.sh - weir report: where the page goes, what is refused, what is left alone. gnuplot is not needed.
# usage: report.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
sql=$PWD/test/report/sample.sql # meson runs tests at the top of the tree
. "$(dirname "$0")/lib.sh"

make() { # make FILE [SQL]: the sample, changed
    python3 - "$1" "$sql" "${2:-}" <<'END'
import sqlite3, sys
sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read() + sys.argv[3])
END
}

make a.db 'DELETE FROM run WHERE id > 1;'
make b.db
PATH_HERE=$PATH
mkdir bin
bare() { # bare STATUS ARGS..: run without gnuplot, which takes time
    PATH=$dir/bin
    run "$@"
    PATH=$PATH_HERE
}

# --- usage ---
run 0 report --help
says out 'weir report OUT.db'
run 2 report
says err 'report: '
run 2 report a.db --hlep
says err "'--help'"
run 2 report a.db -o
says err '-o: '

for list in '' x 1, 0 1,,2; do
    run 2 report a.db --runs "$list"
    says err '--runs'
done
run 2 report a.db b.db --runs 1
says err '--runs: '
run 2 report b.db --runs 99
says err 'b.db: '
run 2 report b.db --text nowhere.txt
says err '--text nowhere.txt: '
run 2 report b.db --only sird
says err '--only sird: '
run 2 report b.db --only =sird
says err '--only =sird: '
run 2 report b.db --only protocol=nothing
says err 'b.db: no run fits --only protocol=nothing'
bare 0 report b.db --only 'label=wka*' --only load=65% -o some.html
says out '2 runs'
bare 0 report a.db b.db --only load=65% -o some.html # a file may have none that fits, if another has
says out 'some.html: '
run 2 report b.db --published nowhere.json
says err '--published nowhere.json: '
echo '{"figures": 3}' >bad.json
run 2 report b.db --published bad.json -o bad.html
says err '--published: '
holds 'no page after a refusal' [ ! -e bad.html ]
for bad in '' gif svg, ,svg svg,gif; do
    run 2 report b.db --figures f --format "$bad"
    says err '--format'
done
for bad in 3.3 in 0.99in 41in -3in 3.3inch 3in3; do
    run 2 report b.db --figures f --size "$bad"
    says err '--size '
done
for bad in ',8' Times,3 Times,41 Times,x Times, 'a;b'; do
    run 2 report b.db --figures f --font "$bad"
    says err '--font '
done
run 2 report b.db --size 3in
says err '--size: is for the files of --figures'
holds 'no folder after a refusal' [ ! -e f ]
bare 2 report b.db --only 'label=wka*' --only load=65% -o some.html --figures f --format pdf # no rsvg-convert in PATH
says err '--format pdf: there is no program rsvg-convert'
rm -r f
echo 'a <b> & c' >text.txt
run 0 report b.db --runs 1,18 -o two.html --text text.txt
holds 'the text comes first' grep -q '<pre>a &lt;b&gt; &amp; c' two.html
run 0 report b.db --runs 1,18 -o two.html
holds 'and only if there is one' [ "$(grep -c 'id="text"' two.html)" -eq 0 ]
says out '2 runs'

# --- what is no result file ---
run 2 report nowhere.db
says err 'nowhere.db'
says err 'No such file'
echo text >text.db
run 2 report text.db
says err 'text.db: '
holds 'no page after a refusal' [ ! -e text.html ]
make other.db 'PRAGMA application_id = 7;'
run 2 report other.db
says err 'other.db: '
make newer.db 'PRAGMA user_version = 2;'
run 2 report newer.db
says err 'newer Weir'
make empty.db 'DELETE FROM run;'
run 2 report empty.db
says err 'empty.db: '
run 2 report a.db text.db -o both.html
holds 'no page after a refusal' [ ! -e both.html ]
ln -s a.db again.db
for name in a.db ./a.db again.db; do
    run 2 report b.db a.db "$name"
    says err "$name: is the same file as a.db"
done

# --- where the page goes; without gnuplot it has tables ---
bare 0 report a.db
says out 'a.html: 1 run, 0 figures'
says err 'no curves: there is no program gnuplot'
says a.html '<!DOCTYPE html>'
says a.html 'No curves are drawn: there is no program gnuplot.'
says a.html '</html>'
run 0 report a.db b.db -o page.html
says out 'page.html: 21 runs'
says page.html 'from a.db, b.db.'
cp page.html first.html
run 0 report a.db b.db -o page.html
holds 'the same files give the same page' cmp -s page.html first.html
run 2 report a.db -o nowhere/page.html
says err 'nowhere/page.html'

cat >valid.py <<'END'
import html.parser, sys

class Page(html.parser.HTMLParser):
    """Elements that close in order, ids that are there once, links that lead to one, no script."""
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.wrong = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.ids += [value for name, value in attributes if name == "id"]
        self.links += [value[1:] for name, value in attributes if name == "href"]
        self.wrong += [tag] if tag == "script" else []

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

page = Page()
page.feed(open(sys.argv[1]).read())
sys.exit(bool(page.open or page.wrong or len(set(page.ids)) < len(page.ids) or set(page.links) - set(page.ids)))
END
holds 'a page is well-formed' python3 valid.py page.html
bare 0 report b.db -o page.html
holds 'with all its parts' python3 valid.py page.html

# --- what is there already ---
cp a.db before.db
run 2 report a.db -o a.db
says err 'a.db: '
holds 'the result file is as it was' cmp -s a.db before.db
echo precious >notes.txt
run 2 report a.db -o notes.txt
says err 'not overwritten'
holds 'a text is as it was' [ "$(cat notes.txt)" = precious ]
: >new.html
run 0 report a.db -o new.html
says new.html '<!DOCTYPE html>'
# As root nothing is unreadable: then there is no such file to be met.
cp notes.txt secret.txt
chmod 200 secret.txt
if [ ! -r secret.txt ]; then
    run 2 report a.db -o secret.txt
    says err 'secret.txt: '
fi

# --- figures as files ---
bare 0 report a.db -o page.html --figures figures
holds 'numbers of a figure' [ "$(head -n 1 figures/goodput-over-time.csv)" = \
    curve,runs,time_ps,from,to,goodput_per_host_gbps,least,greatest,values ]
holds 'and none half-written' [ -z "$(ls -A figures | grep -v '\.csv$' | grep -v '\.svg$')" ]
cp -r figures before
echo mine >figures/notes.txt
bare 0 report a.db -o page.html --figures figures
holds 'again the same' [ "$(diff -r before figures)" = 'Only in figures: notes.txt' ]
holds 'another file is as it was' [ "$(cat figures/notes.txt)" = mine ]
echo mine >figures/goodput-over-time.csv
rm page.html
bare 2 report a.db -o page.html --figures figures
says err 'figures/goodput-over-time.csv: '
holds 'it is as it was' [ "$(cat figures/goodput-over-time.csv)" = mine ]
holds 'no page after a refusal' [ ! -e page.html ]
run 2 report a.db -o page.html --figures notes.txt
says err '--figures notes.txt: '
run 2 report a.db -o page.html --figures nowhere/figures
says err '--figures nowhere/figures: '

# --- interactive pages: what ./dev web builds stands in the page, with the numbers ---
mkdir -p bare web/bin/web
cp "$weir" bare/weir
cp "$weir" web/bin/weir
own=$weir
weir=$dir/bare/weir
run 2 report b.db --interactive -o live.html
says err 'weir: this build of weir has no interactive report'
says err './dev web builds it'
holds 'no page after a refusal' [ ! -e live.html ]
weir=$dir/web/bin/weir
echo '<p>another page' >web/bin/web/weir-report.html
run 2 report b.db --interactive -o live.html
says err 'the page weir-report.html is of another version of weir, or was cut'
printf '<script type="application/json" id="weir-data">null</script>\n<p>the end\n' >web/bin/web/weir-report.html
bare 0 report b.db --interactive -o live.html
says out 'live.html: 20 runs'
says live.html '<p>the end'
says live.html "default-src 'none'"
python3 -c 'import json, re
text = open("live.html").read()
d = json.loads(re.search(r"id=\"weir-data\">(.*?)</script>", text, re.S).group(1))
figures = [json.loads(t) for t in re.findall(r"class=\"figure-data\">(.*?)</script>", text, re.S)]
print(len(d["runs"]), len(d["sets"]), sum(s["count"] for s in d["sets"]), len(figures) > 0, all(len(f["curves"]) > 0 for f in figures))' >value
says value '20 20 20 '
bare 0 report b.db -o dull.html
holds 'without the option there is no script' [ "$(grep -c '<script' dull.html)" = 0 ]
bare 0 report b.db --interactive -o -
holds 'on stdout, too' cmp -s out live.html
bare 0 report b.db --interactive --runs 1 --figures f --text text.txt -o some.html # goes with all other options
says out 'some.html: 1 run'
run 2 report b.db --interactive -o nowhere/live.html
says err 'nowhere/live.html'
echo text >kept.html
run 2 report b.db --interactive -o kept.html
says err 'kept.html: is there and is no HTML page'
rm -r f kept.html
make failed.db "DELETE FROM run WHERE status <> 'failed';" # nothing to draw: still a page
bare 0 report failed.db --interactive -o failed.html
says failed.html '"metrics": []'
weir=$own

# --- where no file is: nothing is read, and the page is all that goes there ---
run 0 report a.db -o -
says err '-: 1 run'
holds 'the page and nothing else' cmp -s out new.html
holds 'no file of that name' [ ! -e ./- ]
mkfifo pipe
called='weir report a.db -o pipe'
cat pipe >piped.html &
timeout 60 "$weir" report a.db -o pipe >out 2>err </dev/null
holds 'exit 0' [ $? -eq 0 ]
wait $!
holds 'a pipe takes the page' cmp -s piped.html new.html
called='weir report a.db -o /dev/stdout | cat'
timeout 60 "$weir" report a.db -o /dev/stdout 2>err </dev/null | cat >piped.html
holds 'a pipe takes the page' cmp -s piped.html new.html
run 3 report a.db -o /dev/full
says err '/dev/full: not all could be written'
rm pipe

# --- from a read-only file system, where SQLite cannot have its helper files ---
mkdir ro 'ro/a?b#c%d'
cp a.db ro/
cp a.db 'ro/a?b#c%d/'
read_only() { # read_only ARGS..: as `weir ARGS..`, with ro/ mounted read-only in a mount namespace of its own
    called="weir $* (ro/ is read-only)"
    unshare -rm sh -c 'mount --bind ro ro && mount -o remount,ro,bind ro && exec "$0" "$@"' "$weir" "$@" >out 2>err </dev/null
}
if unshare -rm sh -c 'mount --bind ro ro && mount -o remount,ro,bind ro && ! touch ro/new' 2>err; then
    read_only report ro/a.db -o ro.html
    holds 'exit 0' [ $? -eq 0 ]
    says ro.html '</html>'
    read_only report 'ro/a?b#c%d/a.db' -o ro.html
    holds 'exit 0' [ $? -eq 0 ]
    read_only report ro/a.db # the page would go beside it
    holds 'exit 2' [ $? -eq 2 ]
    says err 'ro/a.html: cannot be written'
    says err '-o OUT.html'
    echo log >ro/a.db-wal # it may hold runs, which reading the file alone would miss
    read_only report ro/a.db -o ro.html
    holds 'exit 2' [ $? -eq 2 ]
    says err 'ro/a.db: '
    rm ro/a.db-wal
else
    echo 'no mount namespaces here: reading from a read-only file system is not tested'
fi
holds 'nothing is left beside the pages' [ -z "$(ls | grep -e part- -e wal -e shm)" ]

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
