"""Runs the commands of the README and the guide. Goal: each command that they show after a `$` succeeds, and
prints the JSON that they show.

Method: the commands of a document run in order, in one folder, against a separate daemon. Only values that a
document cannot know are replaced: the addresses of the daemon and of a webhook's receiver. The platform is a
stand-in.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from model_support import ANSWER
from openai_stand_in import OpenAiStandIn
from service_support import UNAVAILABLE, DatabaseTest, clean_environment, must, program
from webhook_receiver import WebhookReceiver

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
COMMANDS_MIN = 14
COMMAND_SECONDS_MAX = 180
# An error of the API ends the command, and the test.
PRELUDE = 'set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body "$@"; }\n'


def commands_in(text):
    """Yields (command, output) of each `    $ ...`. A command may continue after a backslash and within single quotes;
    its output follows."""
    command, output = None, []
    for line in [*text.splitlines(), ""]:
        if command is not None and command.endswith("\\"):
            command = command[:-1] + line.strip()
            continue
        if command is not None and command.count("'") % 2 == 1:
            command += "\n" + line.strip()
            continue
        if command is not None and not line.startswith("    $ ") and line.startswith("    "):
            output.append(line.strip())
            continue
        if command is not None:
            yield command, "".join(output)
        command, output = (line[6:], []) if line.startswith("    $ ") else (None, [])


class Guide(DatabaseTest):
    def model(self):
        """The settings of a model that answers what the page on extraction shows."""
        model = OpenAiStandIn("vllm").start()
        self.addCleanup(model.stop)
        model.answer = {**ANSWER, "extract": {
            "name": "Frische Pasta", "recipeIngredient": ["200 g Mehl", "Salz"],
            "recipeInstructions": [{"text": "Den Teig ausrollen."}]}}
        return {"analyzer": "openai", "openai_url": model.url, "openai_api_key": model.key, "openai_model": "test-model"}

    def run_document(self, text):
        self.platform.configure(posts={code: {} for code in re.findall(r"/reel/(DY\w+)", text)})
        settings = self.model() if '"extract"' in text else {}
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        daemon = self.shared_daemon(webhook_networks="127.0.0.0/8", **settings).start()
        account = daemon.account("ann@example.org", unlimited=True)
        for _ in range(2):  # The documents' first reel has the id 3.
            account.finished(account.submit(UNAVAILABLE))
        folder = pathlib.Path(daemon.folder, "reader")
        folder.mkdir()
        (folder / "links.txt").write_text(f"{UNAVAILABLE}\n{UNAVAILABLE}\n")
        shutil.copy(os.path.join(os.path.dirname(program("reelsd")), "../share/reelsd/sample.mp4"), folder / "clip.mp4")
        (folder / "reelsd-data").mkdir()
        (folder / "reelsd-data/api-token").write_text(account.token + "\n")
        address = f"http://{daemon.address}"
        environment = clean_environment(**daemon.settings)
        environment.update(
            HOME=str(folder), TOKEN=account.token, REELS_TOKEN=account.token, REELS_SERVER=address,
            PATH=os.path.dirname(program("reels")) + ":" + environment["PATH"])
        replaced = text.replace("http://127.0.0.1:8080", address).replace("https://example.org/reels", receiver.url("/reels"))
        seen, assignments = 0, ""
        for command, output in commands_in(replaced):
            with self.subTest(command):
                done = must(subprocess.run(
                    ["bash", "-c", PRELUDE + assignments + command], cwd=folder, env=environment,
                    stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=COMMAND_SECONDS_MAX))
                self.assert_shown(output, done.stdout)
            if re.match(r"\w+=", command):
                assignments += command + "\n"
            seen += 1
        return seen

    def assert_shown(self, shown, printed):
        """Complete JSON is printed exactly; for shortened JSON, the members are the same."""
        if not shown.startswith(("{", "[")):
            return
        if "..." in shown:
            self.assertEqual(json.loads(shown).keys(), json.loads(printed).keys())
        else:
            self.assertEqual(json.loads(shown), json.loads(printed))

    def test_each_command_runs_as_written(self):
        seen = 0
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            if next(commands_in(text), None):
                with self.subTest(document=document.name):
                    self.database = self.cluster.new_database()
                    seen += self.run_document(text)
        self.assertGreaterEqual(seen, COMMANDS_MIN)


class Reading(unittest.TestCase):
    def test_commands_with_their_output(self):
        text = "Do:\n\n    $ one \\\n      -d 2\n    {\"a\":\n     1}\n    $ two '{\n     }'\n    [\n\n    three\n"
        self.assertEqual(list(commands_in(text)), [("one -d 2", '{"a":1}'), ("two '{\n}'", "[")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
