#!/bin/sh
# test/cli/key.sh - `weir key`: makes files of keys, lists them, refuses what is wrong, and never prints a key but into its file.
# usage: key.sh BINARY
# shellcheck source=test/cli/lib.sh
set -u
. "$(dirname "$0")/lib.sh"

refuse() { # refuse SENTENCE ARGS..
    sentence=$1
    shift
    run 2 key "$@"
    says err "$sentence"
}

# What needs no cryptography.
refuse 'key: new or show?'
refuse 'key: nwe: no such verb' nwe keys
says err "'new'"
refuse 'key new: which file?' new
refuse 'key show: which file?' show
refuse 'x: one argument too many' new keys x
refuse '--name: must be 1 to 32' new keys --name 'a b'
refuse '--name: the name of the key is missing' new keys --name=
refuse '--number = 0: must be 1 to 65535' new keys --number 0
refuse '--number = 65536: must be 1 to 65535' new keys --number 65536
refuse 'key show: --name and --number are for new' show keys --number 1
holds 'nothing was made' [ ! -e keys ]

if "$weir" --version | grep -q '^ciphers  *none$'; then
    run 3 key new keys
    says err 'built without libsodium'
    run 3 key show keys
    holds 'nothing was made' [ ! -e keys ]
    echo "$checks checks, $failures failures"
    exit "$((failures > 0))"
fi

# A new file: nobody else may read it, it has one key, and the command prints no key.
umask 000
run 0 key new keys
says out '1  fleet'
says out '  used'
holds 'mode 600' [ "$(stat -c %a keys)" = 600 ]
secret=$(awk '$1 == 1 { print $3 }' keys)
holds 'a key of 44 characters' [ "${#secret}" = 44 ]
holds 'the key is not printed' [ -z "$(grep -hF -e "$secret" out err)" ]
cp out first
run 0 key show keys
holds 'show prints what new did' cmp -s out first

# What is there stays as it is.
cp keys before
refuse 'keys: it is there already, and is left as it is' new keys
holds 'the file is as before' cmp -s keys before
refuse 'nowhere/keys: No such file or directory' new nowhere/keys

# A second key: the first of the file is used.
run 0 key new next --number 65535 --name fleet-2027
cat next keys >both
chmod 400 both
run 0 key show both
holds 'the new key is used' grep -q '^ 65535  fleet-2027  .*  used$' out
holds 'the old key is accepted' grep -q '^     1  fleet  .*  accepted$' out
holds 'other keys have other fingerprints' [ "$(awk 'NR > 1 { print $3 }' out | sort -u | wc -l)" = 2 ]

# What is wrong with a file, by line.
bad() { # bad SENTENCE TEXT
    printf '%b' "$2" >bad
    chmod 600 bad
    refuse "$1" show bad
    holds 'a hint' grep -q 'hint: ' err
    holds 'the key is not printed' [ -z "$(grep -hF -e "$secret" out err)" ]
}
bad 'bad: there is no key in the file' '# nothing\n'
bad 'bad:2: a line of a key has three parts, not two' "1 a $secret\n2 $secret\n"
bad 'bad:1: the number of a key is 1 to 65535' "$secret a 1\n"
bad 'bad:1: the name of a key is 1 to 32' "1 $secret a\n"
bad 'bad:1: the key is not base64' "1 a !$secret\n"
bad 'bad:1: the key has 3 bytes, not 32' '1 a AQEB\n'
bad 'bad:1: the key is all zeros' '1 a AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'
bad 'bad:3: the key 1 is in the file twice' "1 a $secret\n\n1 b $secret\n"
cp keys open
chmod 640 open
refuse 'open: its mode is 0640: a file of keys must be 0600 or stricter' show open
says err 'chmod 600 open'
mkdir folder
refuse 'folder: it is a folder, not a file of keys' show folder
mkfifo pipe
refuse 'pipe: it is not a regular file' show pipe
refuse 'none: No such file or directory' show none

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
