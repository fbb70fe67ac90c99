#!/usr/bin/env bash
# Runs `papertwin dedup` on labelled sets and prints one line a set: false positives, false negatives, F1 at record and pair
# level, processor seconds and peak memory; with a Python that has bib-dedupe, the same of that peer beside it.
#
# Usage: dedup.sh PAPERTWIN FOLDER_OF_SETS SCORE_CLUSTERS.py [PYTHON BIB_DEDUPE_PEER.py]
# A set is FOLDER/NAME.jsonl.gz with FOLDER/NAME.pairs.csv.gz.
set -eu
papertwin=$1 sets=$2 score=$3 python=${4:-} peer=${5:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
line() { # what set report seconds memory
    python3 "$score" "$sets/$2.jsonl.gz" "$sets/$2.pairs.csv.gz" "$3" | python3 -c '
import json, sys
what, name, seconds, memory = sys.argv[1:]
c = json.load(sys.stdin)
row = "{0:12} {1:28} FP {fp:4} FN {fn:4} F1 {f1:.6f}  pairs FP {pair_fp:5} FN {pair_fn:5} F1 {pair_f1:.6f}  {2} s  {3} MiB"
print(row.format(what, name, seconds, memory, **c))
' "$1" "$2${6:-}" "$4" "$5"
}
ours() { # set label options...
    local name=$1 label=$2
    shift 2
    /usr/bin/env time -f '%U %S %M' -o "$work/time" "$papertwin" --quiet dedup "$sets/$name.jsonl.gz" -o "$work/clean.jsonl" \
        --report "$work/report.csv" --lenient "$@" 2>/dev/null
    read -r user system memory <"$work/time"
    line papertwin "$name" "$work/report.csv" "$(echo "$user + $system" | bc)" "$((memory / 1024))" "$label"
}
for file in "$sets"/*.jsonl.gz; do
    name=$(basename "$file" .jsonl.gz)
    [ -e "$sets/$name.pairs.csv.gz" ] || continue
    ours "$name" ""
    if zcat "$file" | head -1 | grep -q '"source"'; then
        ours "$name" " unique-in-source" --unique-within-source
    fi
    if [ -n "$python" ]; then
        told=$("$python" "$peer" "$file" "$work/peer.csv" | tail -1)
        seconds=$(echo "$told" | python3 -c 'import json,sys; print(json.load(sys.stdin)["cpu_seconds"])')
        memory=$(echo "$told" | python3 -c 'import json,sys; print(json.load(sys.stdin)["peak_rss_mib"])')
        line bib-dedupe "$name" "$work/peer.csv" "$seconds" "$memory" ""
    fi
done
