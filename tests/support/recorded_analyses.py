"""A media helper that examines each file once: it keeps the report of reelsd-media, and prints it again for the same
bytes, options and program. An analysis of the sample reel takes seconds, and most tests are about what happens to it.

Tests of the analysis itself use reelsd-media: unit_media_videos, and those that set `media_helper` to None.
"""

import os
import pathlib
import shlex

SCRIPT = r"""#!/bin/sh
# The other commands write a file, or examine the system.
real={real}
reports={reports}
case $1 in
    probe | analyze | listen | check) command=$1 ;;
    *) exec "$real" "$@" ;;
esac
shift
stills=
key="$command $(stat -L -c %Y-%s "$real")"
count=$#
while [ "$count" -gt 0 ]; do
    option=$1
    value=$2
    case $option in
        # The child compares this with its parent, which is this shell.
        --parent) value=$$ ;;
        --stills-max) stills=yes ;;
        --video) key="$key $(sha256sum <"$value")" ;;
        *) key="$key $option $value" ;;
    esac
    shift 2
    set -- "$@" "$option" "$value"
    count=$((count - 2))
done
report=$reports/$(echo "$key" | sha256sum | cut -c1-32)
if [ ! -e "$report" ]; then
    new=$(mktemp "$report.XXXXXX")
    "$real" "$command" "$@" </dev/null >"$new"
    code=$?
    # Only a report, not an error, which may be due to the moment.
    case $(head -c 6 "$new") in
        '{{"ok":') mv "$new" "$report" ;;
        *) cat "$new"; rm -f "$new"; exit "$code" ;;
    esac
fi
cat "$report"
[ -n "$stills" ] || exit 0
moments=$(cat)
[ -z "$moments" ] || "$real" stills "$@" --at "$moments"
"""


def write_helper(folder, programs):
    """Writes the helper into `folder`; returns its path. `programs`: the folder of reelsd-media."""
    reports = os.path.join(programs, "..", "tests", "recorded-analyses")
    os.makedirs(reports, exist_ok=True)
    path = os.path.join(folder, "reelsd-media")
    real = os.path.join(programs, "reelsd-media")
    pathlib.Path(path).write_text(
        SCRIPT.format(real=shlex.quote(real), reports=shlex.quote(os.path.abspath(reports))), encoding="utf-8")
    os.chmod(path, 0o755)
    return path
