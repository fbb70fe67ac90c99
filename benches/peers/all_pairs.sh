#!/usr/bin/env bash
# All pairs of the rows of a .npy file at one λ: papertwin against blocked numpy and faiss, in one run, ratios at the end.
#
# usage: all_pairs.sh PAPERTWIN PYTHON PEER.py VECTORS.npy LAMBDA [THREADS]
#
# PEER.py takes VECTORS --threshold --method numpy|faiss --threads and prints one JSON line with seconds and pairs; its
# seconds hold the comparison alone, ours hold reading the file and writing the pairs too. Numbers of pairs may differ where a
# cosine is within a rounding of λ.
set -euo pipefail
papertwin=$1 python=$2 peer=$3 vectors=$4 lambda=$5 threads=${6:-2}
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for method in numpy faiss; do
    "$python" "$peer" "$vectors" --threshold "$lambda" --method "$method" --threads "$threads" | tee "$folder/$method.json"
done
for kernel in auto portable; do
    start=$(date +%s.%N)
    "$papertwin" --quiet --threads "$threads" pairs --vectors "$vectors" --lambda "$lambda" --kernel "$kernel" \
        -o "$folder/$kernel.csv"
    end=$(date +%s.%N)
    pairs=$(($(wc -l <"$folder/$kernel.csv") - 1))
    echo "{\"papertwin\": \"$kernel\", \"seconds\": $(echo "$end - $start" | bc), \"pairs\": $pairs}" | tee "$folder/$kernel.json"
done
cmp "$folder/auto.csv" "$folder/portable.csv" && echo "both kernels wrote the same bytes"
"$python" - "$folder" <<'PYTHON'
import json, sys
of = {name: json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("numpy", "faiss", "auto", "portable")}
for name in ("numpy", "faiss"):
    print(f"papertwin (auto) against {name}: {of[name]['seconds'] / of['auto']['seconds']:.1f}x, "
          f"pairs {of['auto']['pairs']} against {of[name]['pairs']}")
PYTHON
