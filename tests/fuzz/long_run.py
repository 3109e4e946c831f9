#!/usr/bin/env python3
"""Runs fuzz targets for any time: every target of a build, or the named ones, runs repeatedly with different seeds
until it has used its CPU time.

    python3 tests/fuzz/long_run.py [--build build/dev] [--cpu-seconds 600] [--seed 1] [--jobs 2] [TARGET...]

Prints a line for each target, and exits with 1 if one of them found an error; the output then has its bytes, its
check and its seed. `TARGET_fuzz INPUTS SEED` repeats it.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

INPUTS_A_RUN = 2000  # Per reader; takes some seconds in an instrumented build.


def wait_for(pid):
    """(exit code, CPU seconds) of one child: the total of all children would include those of other threads."""
    _, status, used = os.wait4(pid, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def fuzz(program, cpu_seconds, first_seed):
    """(target, finding, last output, CPU seconds, runs)."""
    spent, seed, report = 0.0, first_seed, ""
    while spent < cpu_seconds:
        read_end, write_end = os.pipe()
        child = subprocess.Popen(
            [program, str(INPUTS_A_RUN), str(seed)], stdout=write_end, stderr=subprocess.STDOUT)
        os.close(write_end)
        with os.fdopen(read_end, errors="replace") as output:
            report = output.read()
        code, used = wait_for(child.pid)
        child.returncode = code
        spent += used
        seed += 1
        if code != 0:
            return program.name, True, report, spent, seed - first_seed
    return program.name, False, report, spent, seed - first_seed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build/dev", type=pathlib.Path)
    parser.add_argument("--cpu-seconds", default=600, type=float)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int)
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    programs = sorted(
        path for path in options.build.resolve().rglob("*_fuzz")
        if path.is_file() and (not options.targets or path.name.removesuffix("_fuzz") in options.targets))
    if not programs:
        sys.exit(f"no fuzz targets in {options.build}")
    any_found = False
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(fuzz, program, options.cpu_seconds, options.seed) for program in programs]
        for run in concurrent.futures.as_completed(runs):
            name, found, report, spent, count = run.result()
            any_found = any_found or found
            print(f"{name}: {'FOUND SOMETHING' if found else 'no finding'} in {spent:.0f} s of CPU,"
                  f" {count} runs of {INPUTS_A_RUN} inputs a reader, seeds from {options.seed}", flush=True)
            if found:
                print(report, flush=True)
    return 1 if any_found else 0


if __name__ == "__main__":
    sys.exit(main())
