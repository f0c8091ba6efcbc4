# SPDX-License-Identifier: Apache-2.0
"""A rank beside an idle communicator computes within 3 % of one without: idle.py PROGRAM, from ctest. Both processes live at once and take
turns of some steps, so that a machine whose speed drifts is as fast for one as for the other; judged is the median of the pairs."""
import os
import statistics
import subprocess
import sys

PAIRS = 60
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--mca", "btl", "self,vader,tcp",
          "-n", "2"]
program = sys.argv[1]


def start(*command):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                            env=dict(os.environ, OMP_NUM_THREADS="1"))


def step_s(process):
    process.stdin.write("\n")
    return float(process.stdout.readline())


alone, beside = start(program, "alone"), start(*MPIRUN, program, "with")
try:
    pairs = []
    for turn in range(PAIRS + 1):
        both = {process: step_s(process) for process in ((alone, beside) if turn % 2 else (beside, alone))}
        if turn > 0:  # the first fills caches
            pairs.append((both[alone], both[beside]))
finally:
    for process in (alone, beside):
        process.stdin.close()
        process.wait(30)
ratio = statistics.median(b / a for a, b in pairs)
print(f"steps of {statistics.median(a for a, _ in pairs) * 1e3:.3f} ms alone and {statistics.median(b for _, b in pairs) * 1e3:.3f} ms beside "
      f"an idle communicator; median of {PAIRS} ratios {ratio:.4f}")
sys.exit(0 if ratio < 1.03 else 1)
