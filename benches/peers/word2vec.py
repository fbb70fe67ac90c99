#!/usr/bin/env python3
"""Trains the same tokens with papertwin and with a peer (gensim), one after the other, and prints the ratios.

Usage: word2vec.py PAPERTWIN PEER_PYTHON PEER_SCRIPT TOKENS [--threads 2] [--dims 100] [--epochs 5] [--skip-gram]
                   [--repeat 1] [--scaling] [--corpus CORPUS]

PAPERTWIN is the program; PEER_SCRIPT takes TOKENS --out FILE --dim N --epochs N --threads N [--skip-gram] and prints a
JSON line with words_per_second, peak_rss_mib. Words a second count raw words times epochs over the seconds of training
alone (papertwin's own report); user seconds and peak memory are those of the whole process, reading and writing
included. "each alone" is papertwin with --group 1: words drawn anew for each window. --scaling adds papertwin over 1/8 ... 1 of the text, 1 and 2 threads, and
25 ... 300 dimensions, in groups and each alone. --corpus adds the whole way from a file of records to the model file. With more
than one --threads the machine's own gain from threads is printed first: two copies of one loop, against one.
"""
import argparse
import hashlib
import json
import os
import re
import subprocess
import tempfile
import time


def measured(command):
    """Wall seconds, user + system seconds, peak MiB, standard output, standard error of a process."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        out.seek(0)
        err.seek(0)
        text, talk = out.read(), err.read()
        if status != 0:
            raise SystemExit(f"{' '.join(command)} failed:\n{talk}")
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024, text, talk


def gain(threads):
    """How many times the work of one process so many get done side by side."""
    loop = "import sys\nx = 0\nfor i in range(20_000_000): x += i"
    seconds = []
    for copies in (1, threads):
        begin = time.perf_counter()
        for process in [subprocess.Popen(["python3", "-c", loop]) for _ in range(copies)]:
            process.wait()
        seconds.append(time.perf_counter() - begin)
    return threads * seconds[0] / seconds[1]


def ours(a, folder, source, dims, threads, extra=()):
    model = os.path.join(folder, "ours.bin")
    command = [a.papertwin, "train", *source, "-o", model, "--dims", str(dims), "--epochs", str(a.epochs),
               "--threads", str(threads), *extra]
    if a.skip_gram:
        command += ["--architecture", "skip-gram"]
    wall, cpu, peak, _, talk = measured(command)
    rate = int(re.search(r"(\d+) words/s", talk).group(1))
    digest = hashlib.sha256(open(model, "rb").read()).hexdigest()[:16]
    return {"words_per_second": rate, "wall": round(wall, 2), "cpu": round(cpu, 2), "peak_mib": peak, "sha256": digest}


def theirs(a, folder, tokens):
    command = [a.peer_python, a.peer_script, tokens, "--out", os.path.join(folder, "theirs.bin"), "--dim", str(a.dims),
               "--epochs", str(a.epochs), "--threads", str(a.threads)]
    if a.skip_gram:
        command.append("--skip-gram")
    wall, cpu, peak, text, _ = measured(command)
    told = json.loads(text.strip().splitlines()[-1])
    return {"words_per_second": told["words_per_second"], "wall": round(wall, 2), "cpu": round(cpu, 2), "peak_mib": peak}


p = argparse.ArgumentParser()
p.add_argument("papertwin")
p.add_argument("peer_python")
p.add_argument("peer_script")
p.add_argument("tokens")
p.add_argument("--threads", type=int, default=2)
p.add_argument("--dims", type=int, default=100)
p.add_argument("--epochs", type=int, default=5)
p.add_argument("--skip-gram", action="store_true")
p.add_argument("--repeat", type=int, default=1)
p.add_argument("--scaling", action="store_true")
p.add_argument("--corpus")
a = p.parse_args()

ALONE = ("--group", "1")
KINDS = [("deterministic", ()), ("each alone", ALONE), ("hogwild", ("--hogwild",))]
with tempfile.TemporaryDirectory() as folder:
    if a.threads > 1:
        print(f"{a.threads} processes do x{gain(a.threads):.2f} of the work of one")
    for _ in range(a.repeat):
        peer = theirs(a, folder, a.tokens)
        print("peer         ", json.dumps(peer), flush=True)
        for name, extra in KINDS:
            mine = ours(a, folder, ["--tokens", a.tokens], a.dims, a.threads, extra)
            speed = mine["words_per_second"] / peer["words_per_second"]
            print(f"{name:13}", json.dumps(mine))
            print(f"{'':13} words/s x{speed:.2f}, cpu seconds x{peer['cpu'] / mine['cpu']:.2f} less, "
                  f"peak memory x{mine['peak_mib'] / peer['peak_mib']:.2f}, end to end x{peer['wall'] / mine['wall']:.2f}",
                  flush=True)
    if a.corpus:
        for name, extra in KINDS:
            print(f"records to model, {name}", json.dumps(ours(a, folder, [a.corpus], a.dims, a.threads, extra)), flush=True)
    if a.scaling:
        lines = open(a.tokens, encoding="utf-8").readlines()
        for parts in (8, 4, 2, 1):
            part = os.path.join(folder, "part.txt")
            with open(part, "w", encoding="utf-8") as out:
                out.writelines(lines[: len(lines) // parts])
            for threads in sorted({1, a.threads}):
                for name, extra in KINDS[:2]:
                    row = ours(a, folder, ["--tokens", part], a.dims, threads, extra)
                    print(f"1/{parts} of the text, {threads} threads, {name}", json.dumps(row), flush=True)
        for dims in (25, 50, 100, 200, 300):
            for name, extra in KINDS[:2]:
                row = ours(a, folder, ["--tokens", a.tokens], dims, a.threads, extra)
                print(f"{dims} dimensions, {name}", json.dumps(row), flush=True)
