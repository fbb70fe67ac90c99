#!/usr/bin/env bash
# Runs `papertwin dedup` on labelled sets and prints one line a set: false positives, false negatives, F1 at record and pair
# level, processor seconds and peak memory; beside it the same of the deduplicator of the biblib crate and of bib-dedupe,
# where they are given.
#
# Usage: [BIBLIB=PROGRAM] [PYTHON=PYTHON PEER=BIB_DEDUPE_PEER.py] [SETS="NAME ..."] dedup.sh PAPERTWIN FOLDER_OF_SETS SCORE_CLUSTERS.py
# A set is FOLDER/NAME.jsonl.gz with FOLDER/NAME.pairs.csv.gz. PROGRAM is built in biblib/ beside this script.
set -eu
papertwin=$1 sets=$2 score=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
line() { # what set report label
    read -r user system memory <"$work/time"
    python3 "$score" "$sets/$2.jsonl.gz" "$sets/$2.pairs.csv.gz" "$3" | python3 -c '
import json, sys
what, name, user, system, memory = sys.argv[1:]
c = json.load(sys.stdin)
row = "{0:10} {1:36} FP {fp:4} FN {fn:4} F1 {f1:.6f}  pairs FP {pair_fp:5} FN {pair_fn:5} F1 {pair_f1:.6f}  {2:7.2f} s {3:5} MiB"
print(row.format(what, name, float(user) + float(system), int(memory) // 1024, **c))
' "$1" "$2$4" "$user" "$system" "$memory"
}
timed() { # command...
    /usr/bin/env time -f '%U %S %M' -o "$work/time" "$@" >/dev/null 2>&1 || tail -1 "$work/time" | grep -q '^[0-9. ]*$'
    tail -1 "$work/time" >"$work/last" && mv "$work/last" "$work/time"
}
ours() { # set label options...
    local name=$1 label=$2
    shift 2
    timed "$papertwin" --quiet dedup "$sets/$name.jsonl.gz" -o "$work/clean.jsonl" --report "$work/report.csv" --lenient "$@"
    line papertwin "$name" "$work/report.csv" "$label"
}
for file in "$sets"/*.jsonl.gz; do
    name=$(basename "$file" .jsonl.gz)
    [ -e "$sets/$name.pairs.csv.gz" ] || continue
    [ -z "${SETS:-}" ] || [[ " $SETS " == *" $name "* ]] || continue
    ours "$name" ""
    if zcat "$file" | sed -n '1{p;q}' | grep -q '"source"'; then
        ours "$name" " unique-within-source" --unique-within-source
    fi
    if zcat "$file" | sed -n '1{p;q}' | grep -q '"doi_hidden"'; then
        ours "$name" ""
        python3 "$(dirname "$0")/hidden_doi.py" "$file" "$sets/$name.pairs.csv.gz" "$work/report.csv"
    fi
    if [ -n "${BIBLIB:-}" ]; then
        timed "$BIBLIB" "$file" "$work/peer.csv"
        line biblib "$name" "$work/peer.csv" ""
    fi
    if [ -n "${PYTHON:-}" ]; then
        timed "$PYTHON" "$PEER" "$file" "$work/peer.csv"
        line bib-dedupe "$name" "$work/peer.csv" ""
    fi
done
