#!/usr/bin/env bash
# How `papertwin dedup` grows: generated records with a fifth of them again, edited; one line a size with seconds, processor
# seconds, peak memory and what was found.
#
# Usage: dedup_growth.sh PAPERTWIN [SIZE ...]     (default: 10000 100000 1000000 records)
set -eu
papertwin=$1
shift
[ $# -gt 0 ] || set -- 10000 100000 1000000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "records,wall_seconds,cpu_seconds,peak_mib,duplicates_injected,duplicates_found"
for size in "$@"; do
    papers=$((size * 5 / 6))
    "$papertwin" --quiet datasets generate generated-papers --papers "$papers" -o "$work/papers.jsonl"
    "$papertwin" --quiet inject "$work/papers.jsonl" -o "$work/all.jsonl" --truth "$work/truth.csv" --rate 0.2
    /usr/bin/env time -f '%e %U %S %M' -o "$work/time" "$papertwin" dedup "$work/all.jsonl" -o "$work/clean.jsonl" 2>"$work/told"
    read -r wall user system memory < <(tail -1 "$work/time")
    found=$(sed -n 's/.* kept + \([0-9]*\) duplicates.*/\1/p' "$work/told" | tail -1)
    injected=$(($(wc -l <"$work/truth.csv") - 1))
    echo "$(wc -l <"$work/all.jsonl"),$wall,$(echo "$user + $system" | bc),$((memory / 1024)),$injected,$found"
done
