#!/usr/bin/env bash
# How time and memory grow with the corpus: MinHash and the exact join at .8 on generated documents of 60 words, one
# process for each number of documents and way, so that the peak memory is its own.
#
# usage: growth.sh PAPERTWIN [DOCUMENTS…]
#   PAPERTWIN  the program, built with --release
# Prints CSV: documents, way, pairs, seconds without the writing of the texts, seconds a million documents, peak MiB with the
# texts.
set -eu
[ $# -ge 1 ] || { sed -n '5,6p' "$0" >&2; exit 2; }
papertwin=$1
shift
[ $# -gt 0 ] || set -- 10000 30000 100000 300000 1000000
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
echo documents,way,pairs,seconds,seconds_a_million,peak_mib
for documents; do
    for way in minhash exact; do
        "$papertwin" lab growth --sizes "$documents" --ways $way -o "$folder/table" --measurements "$folder/seconds" 2> "$folder/told"
        pairs=$(awk -F, -v way=$way 'NR == 2 { print way == "minhash" ? $3 : $4 }' "$folder/table")
        peak=$(sed -n 's/.*peak memory: \([0-9]*\) MiB.*/\1/p' "$folder/told")
        awk -F, -v OFS=, -v n="$documents" -v way=$way -v pairs="$pairs" -v peak="$peak" \
            'NR > 1 { sum += $3 } END { print n, way, pairs, sprintf("%.3f", sum), sprintf("%.3f", sum * 1e6 / n), peak }' "$folder/seconds"
    done
done
