#!/usr/bin/env bash
# All pairs of the rows of a .npy file at some λ: papertwin against blocked numpy and faiss, in one run, ratios at the end.
#
# usage: all_pairs.sh PAPERTWIN PYTHON PEER.py VECTORS.npy "LAMBDA ..." [THREADS [ROUNDS]]
#
# PEER.py takes VECTORS --threshold --method numpy|faiss --threads and prints one JSON line with seconds and pairs; its
# seconds hold the comparison alone and it only counts the pairs, ours hold starting, reading the file and writing the pairs
# too. Peers and kernels take turns for so many rounds, and the least seconds of each count. Numbers of pairs may differ where
# a cosine is within a rounding of λ. All kernels must write the same bytes.
set -euo pipefail
papertwin=$1 python=$2 peer=$3 vectors=$4 lambdas=$5 threads=${6:-2} rounds=${7:-3}
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

kernels=(auto)
for kernel in portable avx2 avx512; do
    if "$papertwin" --quiet pairs --vectors "$vectors" --lambda 1 --kernel "$kernel" -o "$folder/try.csv" 2>/dev/null; then
        kernels+=("$kernel")
    fi
done
for lambda in $lambdas; do
    for round in $(seq "$rounds"); do
        for method in numpy faiss; do
            "$python" "$peer" "$vectors" --threshold "$lambda" --method "$method" --threads "$threads" \
                >>"$folder/$lambda.$method.jsonl"
        done
        for kernel in "${kernels[@]}"; do
            out="$folder/$kernel.csv"
            TIMEFORMAT='{"seconds": %R, "cpu": %U'
            { time "$papertwin" --quiet --threads "$threads" pairs --vectors "$vectors" --lambda "$lambda" \
                --kernel "$kernel" --max-pairs 100000000 -o "$out" 2>/dev/null; } 2>>"$folder/$lambda.$kernel.jsonl"
            truncate -s -1 "$folder/$lambda.$kernel.jsonl"
            echo ", \"pairs\": $(($(wc -l <"$out") - 1))}" >>"$folder/$lambda.$kernel.jsonl"
            [ "$round" != 1 ] || cmp "$folder/auto.csv" "$out"
        done
    done
done
echo "all kernels wrote the same bytes: ${kernels[*]}"
"$python" - "$folder" "$lambdas" "${kernels[@]}" <<'PYTHON'
import json, sys
folder, lambdas, kernels = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
print("λ,program,seconds,cpu_seconds,pairs,numpy/it,faiss/it")
for l in lambdas:
    best = {}
    for name in ["numpy", "faiss"] + kernels:
        runs = [json.loads(line) for line in open(f"{folder}/{l}.{name}.jsonl")]
        best[name] = min(runs, key=lambda run: run["seconds"])
    for name, run in best.items():
        ratio = [f"{best[peer]['seconds'] / run['seconds']:.1f}" for peer in ("numpy", "faiss")]
        print(l, name, f"{run['seconds']:.3f}", run.get("cpu", ""), run["pairs"], *ratio, sep=",")
PYTHON
