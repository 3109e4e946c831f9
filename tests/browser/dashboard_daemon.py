"""The real daemon with stand-ins of the platform, a model and the Bot API, for tests in other languages.

Prints one line of JSON, {"origin", "set_up_link", "hostile_link", "hostile_text", "telegram", "model", "hold"}, once the
daemon is ready, and ends everything when its standard input ends. With the argument `without-model`, the daemon's settings
have no model. `model` is {"url", "key"} of the stand-in. No local analysis ends while the file `hold` exists.

`hostile_link` is a post whose caption, author's name, speech and summary are markup that would run if a page did
not treat it as text; `hostile_text` is a part of each of them.
"""

import contextlib
import json
import pathlib
import shutil
import sys

from gemini_stand_in import GeminiStandIn
from model_support import answer_with
from service_support import Daemon, Platform, media_helper, new_folder, wait_until
from telegram_stand_in import Telegram

HOSTILE_CODE = "DYhostile01"
HOSTILE_TEXT = "<img src=x onerror=document.title='taken'>"
MODEL = "gemini-3.8-flash"


def set_up_link(daemon):
    for line in daemon.log_lines():
        if line.get("message") == "setup link created":
            return line["link"]
    return None


def hostile_answer():
    answer = answer_with("content.summary", f"{HOSTILE_TEXT} is what a cook says.")
    answer["audio"]["segments"][0]["text"] = f"Today {HOSTILE_TEXT} we make pasta."
    answer["content"]["topics"] = [HOSTILE_TEXT]
    return answer


def write_helper(folder, hold):
    """A media helper that waits while the file `hold` exists."""
    helper = pathlib.Path(folder, "helper")
    helper.write_text(f'#!/bin/sh\nwhile [ -e {hold} ]; do /bin/sleep 0.02; done\n'
                      f'exec {media_helper()} "$@"\n')
    helper.chmod(0o755)
    return helper


def main():
    with contextlib.ExitStack() as running:
        platform = Platform(with_sound=True)
        running.callback(platform.close)
        platform.configure(posts={HOSTILE_CODE: {
            "caption": f"{HOSTILE_TEXT} <script>document.title='taken'</script> #pasta",
            "author_name": HOSTILE_TEXT}})
        model = GeminiStandIn().start()
        running.callback(model.stop)
        model.answer = hostile_answer()
        folder = new_folder()
        running.callback(shutil.rmtree, folder)
        hold = pathlib.Path(folder, "hold")
        telegram = Telegram()
        running.callback(telegram.close)
        with_model = {"analyzer": "gemini,local", "gemini_url": model.url, "gemini_api_key": model.key, "gemini_model": MODEL,
                      "model_prices": f"{MODEL}=0.3/2.5/0.03"}
        daemon = Daemon(
            **platform.settings(), **telegram.settings(), **({} if "without-model" in sys.argv else with_model),
            media_helper=write_helper(folder, hold), webhook_networks="127.0.0.0/8", retry_base_seconds=0.05, videos_kept_days=1,
            submissions_per_minute=100000, concurrent_jobs=100000, requests_per_minute=100000)
        running.callback(daemon.close)
        daemon.start()
        link = wait_until(lambda: set_up_link(daemon), "the setup link")
        print(json.dumps({
            "origin": f"http://{daemon.address}", "set_up_link": link,
            "hostile_link": f"https://www.instagram.com/reel/{HOSTILE_CODE}/", "hostile_text": HOSTILE_TEXT,
            "telegram": telegram.url, "model": {"url": model.url, "key": model.key}, "hold": str(hold),
        }), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
