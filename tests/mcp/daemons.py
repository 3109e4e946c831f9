"""Real daemons for tests in other languages.

Prints one line of JSON, {"working": {"origin", "token"}, "idle": {...}}, once both are ready, and ends them when
its standard input ends. `idle` has no workers: its reels stay pending.
"""

import contextlib
import json
import sys

from service_support import Daemon


def serve(running, **settings):
    daemon = Daemon(**settings)
    running.callback(daemon.close)
    daemon.start()
    return {"origin": f"http://{daemon.address}", "token": daemon.account(unlimited=True).token}


def main():
    with contextlib.ExitStack() as running:
        served = {"working": serve(running, workers=2, retry_base_seconds=0.05), "idle": serve(running, workers=0)}
        print(json.dumps(served), flush=True)
        sys.stdin.read()


main()
