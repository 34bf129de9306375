"""Times this book's attention beside NumPy's and PyTorch's, one after the other on the same machine.

    pip install numpy torch            # what is missing is left out of the table
    python3 crates/bench/compare.py [threads]

NumPy and PyTorch get two threads unless told otherwise; the book's attention runs in one. A time is the fastest of
many runs, as whatever else the machine does can only add to it. "x" is how many times as long as the book's plain
attention it took: above 1, the book is faster. Memory is the most that was held at once, output included, inputs not.
"""

import importlib
import os
import re
import subprocess
import sys
import time

THREADS = sys.argv[1] if len(sys.argv) > 1 else "2"
for variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = THREADS  # read when the libraries are loaded

SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
BYTES = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def the_books():
    """{name: {(tokens, d): (seconds, most bytes)}}, read from what `cargo bench` prints."""
    command = ["cargo", "bench", "-q", "-p", "bench"]
    here = os.path.dirname(os.path.abspath(__file__))
    lines = subprocess.run(command, cwd=here, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    found = {}
    for number, line in enumerate(lines):
        if match := re.match(r"[├╰]─ (\w+)", line):
            name = match[1]
        elif match := re.search(r"─ \((\d+), (\d+)\)(.*)", line):
            value, unit = match[3].split("│")[0].split()  # of fastest, slowest, median, mean
            # Then "max alloc:", a line with the number of allocations, and one with the bytes.
            most, most_unit = lines[number + 3].strip("│ ").split()[:2]
            size = int(match[1]), int(match[2])
            found.setdefault(name, {})[size] = float(value) * SECONDS[unit], float(most) * BYTES[most_unit]
    return found


def fastest(run, budget=2.0):
    run()  # once to warm up
    times, began = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - began < budget and len(times) < 1000):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def numpy_plain(np, queries, keys, values):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    return weights @ values


def numpy_in_place(np, queries, keys, values):
    scores = queries @ keys.T
    scores /= np.sqrt(keys.shape[1])
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores @ values


def the_others(np, torch, tokens, d):
    """{name: seconds}"""
    inputs = np.random.default_rng(72).standard_normal((3, tokens, d))
    found = {
        "NumPy": fastest(lambda: numpy_plain(np, *inputs)),
        "NumPy in place": fastest(lambda: numpy_in_place(np, *inputs)),
    }
    if torch:
        torch.set_num_threads(int(THREADS))
        for kind in (torch.float64, torch.float32):
            tensors = [torch.tensor(matrix, dtype=kind)[None, None] for matrix in inputs]
            with torch.no_grad():
                run = lambda: torch.nn.functional.scaled_dot_product_attention(*tensors)
                found[str(kind).replace("torch.", "PyTorch ")] = fastest(run)
    return found


def shown(amount, units):
    unit = max((unit for unit in units if units[unit] <= amount), key=units.get, default=min(units, key=units.get))
    return f"{amount / units[unit]:.3g} {unit}"


def main():
    np, torch = module("numpy"), module("torch")
    books = the_books()
    for size in books["plain"]:
        times = {f"book, {name.replace('_', ' ')}": runs[size][0] for name, runs in books.items()}
        if np:
            times |= the_others(np, torch, *size)
        ours = books["plain"][size][0]
        print("\nT = {}, d = {}".format(*size))
        for name, seconds in times.items():
            print(f"  {name:24}{shown(seconds, SECONDS):>10}{seconds / ours:9.2f} x")
        plain, one_pass = books["plain"][size][1], books["one_pass"][size][1]
        memory = f"{shown(plain, BYTES)} plain, {shown(one_pass, BYTES)} in one pass: {plain / one_pass:.1f} to 1"
        print(f"  memory: {memory}", flush=True)


main()
