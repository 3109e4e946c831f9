"""Compares the rules and the dashboard of docs/operate/examples with the metrics of a daemon that has used all
features: each metric and label that they use must exist."""

import json
import pathlib
import re
import shutil
import subprocess
import unittest

import yaml

from model_support import ANSWER
from openai_stand_in import OpenAiStandIn
from service_support import UNAVAILABLE, DatabaseTest, wait_until
from webhook_receiver import WebhookReceiver

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "operate" / "examples"
RULES, RULES_TEST = EXAMPLES / "prometheus-rules.yaml", EXAMPLES / "prometheus-rules-test.yaml"
DASHBOARD = EXAMPLES / "grafana-dashboard.json"
KEY = "sk-standInKeyThatNobodyMaySee0123456789"
KEPT_SECONDS = 200  # A tenth of this passes between two rounds; nothing expires unintentionally.
SERIES = re.compile(r"^(\w+)(?:\{(.*)\})? \S+$", re.MULTILINE)
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
# A metric with conditions on its labels; names within braces are labels.
USE = re.compile(r"\b((?:reelsd_\w+)|up)\b(?:\{([^}]*)\})?")
GROUPING = re.compile(r"\bby \(([^)]*)\)")
OF_PROMETHEUS = {"up": {"job", "instance"}}
ADDED_BY_PROMETHEUS = {"job", "instance", "le"}


def told_by(text):
    """The labels of each metric of a scrape, each with its values."""
    metrics = {}
    for name, labels in SERIES.findall(text):
        known = metrics.setdefault(name, {})
        for label, value in LABEL.findall(labels):
            known.setdefault(label, set()).add(value)
    return metrics


def queries():
    """(where, expression) of all rules and panels."""
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    dashboard = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["definition"]


class Monitoring(DatabaseTest):
    def busy_daemon(self):
        """A daemon that reports every metric."""
        model = OpenAiStandIn("vllm", key=KEY).start()
        self.addCleanup(model.stop)
        model.answer = ANSWER
        receiver = WebhookReceiver()
        self.addCleanup(receiver.close)
        self.platform.configure(posts={"DYmetric001": {}})
        daemon = self.shared_daemon(
            analyzer="openai", openai_url=model.url, openai_api_key=KEY, openai_model="test-model",
            results_kept_days=f"{KEPT_SECONDS / 86400:.9f}", webhook_networks="127.0.0.0/8").start()
        account = daemon.account(unlimited=True)
        body = {"webhook_url": receiver.url()}
        for link in ("https://www.instagram.com/reel/DYmetric001/", UNAVAILABLE):
            answer = account.request("POST", "/api/v1/reels/analyze", {"url": link, **body})
            self.assertEqual(answer.status, 202, answer)
            account.finished(answer.json()["id"])
        receiver.wait_for("/hook", 2)
        wait_until(lambda: 'reelsd_webhook_tries_total{outcome="delivered"} 2' in self.scrape(daemon),
                   "the deliveries of webhooks")
        # Longer ago than any reel with a pending webhook is kept.
        self.sql("UPDATE job SET finished_at = finished_at - interval '10 days' WHERE status = 'error'")
        wait_until(lambda: "reelsd_removed_total" in self.scrape(daemon), "the reel that expires", 60)
        return daemon

    def scrape(self, daemon):
        return daemon.request("GET", "/metrics").body.decode()

    def test_queries_name_only_existing_metrics(self):
        scraped = self.scrape(self.busy_daemon())
        metrics = told_by(scraped)
        asked = set()
        for where, expression in queries():
            used = set()
            for name, matchers in USE.findall(expression):
                with self.subTest(where=where, metric=name):
                    labels = (OF_PROMETHEUS | metrics).get(name)
                    self.assertIsNotNone(labels, "no such metric")
                    for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers):
                        self.assertIn(label, set(labels) | ADDED_BY_PROMETHEUS)
                    used |= set(labels)
                asked.add(re.sub(r"_(bucket|sum|count)$", "", name))
            for names in GROUPING.findall(expression):
                with self.subTest(where=where, by=names):
                    self.assertLessEqual(set(re.findall(r"\w+", names)), used | ADDED_BY_PROMETHEUS)
        # Each metric of the scrape is used.
        families = set(re.findall(r"^# TYPE (\w+)", scraped, re.MULTILINE))
        self.assertEqual(families - asked, set())

    def test_rules_name_only_existing_label_values(self):
        root = EXAMPLES.parents[2]
        sources = [path for folder in ("src", "include") for path in (root / folder).rglob("*.[ch]pp")]
        text = "".join(path.read_text() for path in sources)
        words = set(re.findall(r"\w+", text))
        for where, expression in queries():
            for values in re.findall(r'outcome[=!]~?"([^"]*)"', expression):
                for value in values.split("|"):
                    with self.subTest(where=where, outcome=value):
                        self.assertIn(value, words)
            for route in re.findall(r'route="([^"]*)"', expression):
                with self.subTest(where=where, route=route):
                    self.assertIn(route.removeprefix("/api/v1"), text)

    def test_promtool_accepts_the_rules_and_their_tests_pass(self):
        promtool = shutil.which("promtool")
        self.assertTrue(promtool, "promtool is not installed: see docker/packages.txt")
        for command in (["check", "rules", RULES.name], ["test", "rules", RULES_TEST.name]):
            done = subprocess.run(
                [promtool, *command], cwd=EXAMPLES, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_alert_names_a_section_of_the_runbook(self):
        document = (EXAMPLES.parent / "runbook.md").read_text()
        headings = {line.lstrip("#").strip().lower() for line in document.splitlines() if line.startswith("#")}
        for group in yaml.safe_load(RULES.read_text())["groups"]:
            for rule in group["rules"]:
                with self.subTest(rule["alert"]):
                    name, _, heading = rule["annotations"]["runbook"].partition(": ")
                    self.assertEqual(name, "docs/operate/runbook.md")
                    self.assertIn(heading, headings)
                    self.assertTrue(rule["alert"] in document, "the document does not name it")

    def test_the_grafana_dashboard_is_valid(self):
        dashboard = json.loads(DASHBOARD.read_text())
        self.assertGreaterEqual(dashboard["schemaVersion"], 36)
        numbers, taken = set(), set()
        for panel in dashboard["panels"]:
            self.assertNotIn(panel["id"], numbers)
            numbers.add(panel["id"])
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
            if panel["type"] == "row":
                continue
            self.assertIn(panel["type"], ("timeseries", "stat"))
            letters = [target["refId"] for target in panel["targets"]]
            self.assertTrue(letters and len(set(letters)) == len(letters), panel["title"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
