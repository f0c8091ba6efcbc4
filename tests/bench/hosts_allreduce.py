# SPDX-License-Identifier: Apache-2.0
"""Every allreduce between four hosts (network namespaces) over 1 Gbit/s, beside MPI_Allreduce and the bound 2 (p - 1) / p * bytes / rate.
    SYNCLINE_BUILD=build python3 tests/bench/hosts_allreduce.py [HOSTS]
Ends with 1 when our best one takes more than 1.25 times the bound from 4 MiB on, or longer than MPI_Allreduce."""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration" / "cluster"))
from hosts import Hosts  # noqa: E402

RATE = 125e6  # bytes per second
SIZES = [1 << 20, 4 << 20, 16 << 20, 64 << 20]
count = int(sys.argv[1]) if len(sys.argv) > 1 else 4
hosts = Hosts(count, "1gbit")
engine = str(pathlib.Path(os.environ["SYNCLINE_BUILD"]).resolve() / "app" / "syncline-engine")
process = hosts.start(hosts.mpirun(count) + [engine, "bench", "allreduce", "--json", "--sizes", *map(str, SIZES)], output=subprocess.PIPE)
output, _ = process.communicate(timeout=500)
if process.returncode != 0:
    sys.exit(output)
rows = json.loads(output[output.index("{"):])["rows"]
missed = False
for size in SIZES:
    bound = 2 * (count - 1) / count * size / RATE
    times = {row["allreduce"]: row["time_s"] for row in rows if row["bytes"] == size}
    library = times.pop("library")
    best = min(times, key=times.get)
    held = times[best] <= library and (size < 4 << 20 or times[best] <= 1.25 * bound)
    missed |= not held
    print(f"{size >> 20:3} MiB  bound {bound * 1e3:7.1f} ms  MPI_Allreduce {library * 1e3:7.1f} ms  best {best} {times[best] * 1e3:7.1f} ms = "
          f"{times[best] / bound:.2f} x bound  {'' if held else 'MISSED'}")
    print("         " + ", ".join(f"{name} {time * 1e3:.1f}" for name, time in sorted(times.items(), key=lambda item: item[1])))
sys.exit(1 if missed else 0)
