#!/bin/sh
# symbols.sh HEADER LIBRARY - what can be seen of the shared library from outside is what weir.h declares, no more and no less; it has no
# global state but the text of weir_open_error(); and it needs neither YAML nor SQLite.
set -eu
declared=$(sed -n 's/^[a-z].*[ *]\(weir_[a-z_]*\)(.*/\1/p' "$1" | LC_ALL=C sort -u)
visible=$(nm -D --defined-only "$2" | sed -n 's/.* T \([^@]*\).*/\1/p' | LC_ALL=C sort -u)
if [ "$declared" != "$visible" ]; then
    printf 'declared:\n%s\nvisible:\n%s\n' "$declared" "$visible"
    exit 1
fi
# What compilers and sanitizers add begins with two underscores, but for gcc's completed.0 and the runtime of clang's counters.
global=$(objdump -t "$2" | sed -n 's/.* \.t\{0,1\}\(data\|bss\)\t[0-9a-f]* *\([^ ]*\)$/\2/p' | grep -v '^__\|^completed\.\|^open_error$\|^\.' || true)
if [ "$global" != "" ] && ! nm -D "$2" | grep -q -E '__(asan|ubsan|tsan|gcov)_' && ! objdump -h "$2" | grep -q ' __llvm_prf_'; then
    printf 'global state:\n%s\n' "$global"
    exit 1
fi
# The soname, the node of the linker's map and the header have the same number.
abi=$(sed -n 's/^#define WEIR_ABI_VERSION \([0-9]*\)u.*/\1/p' "$1")
soname=$(objdump -p "$2" | sed -n 's/.*SONAME *//p')
nodes=$(nm -D --defined-only --with-symbol-versions "$2" | sed -n 's/.* T [^@]*@*//p' | LC_ALL=C sort -u)
if [ "$soname $nodes" != "libweir.so.$abi WEIR_$abi" ]; then
    printf 'header: %s, soname: %s, node: %s\n' "$abi" "$soname" "$nodes"
    exit 1
fi
if ldd "$2" | grep -E 'yaml|sqlite'; then
    echo "needs what it must not need"
    exit 1
fi
