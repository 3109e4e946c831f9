"""Tests the viewer of the API's documentation in a real browser.

It shows every operation of the document, violates no rule of its own security policy, sends requests to the daemon
only, fits a phone, and can execute an operation with a token.
"""

import pathlib
import unittest

import yaml
from browser import Browser
from service_support import Daemon, ServiceTest

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "openapi.yaml"
METHODS = {"get", "put", "post", "delete", "patch"}
LINK = "https://www.instagram.com/reel/DYa0IXPgnP5/"


def operations():
    """(tag, id) of each operation."""
    paths = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    return {(item[method]["tags"][0], item[method]["operationId"])
            for item in paths.values() for method in METHODS & set(item)}


class ViewerTest(ServiceTest):
    @classmethod
    def setUpClass(cls):
        cls.served = Daemon(workers=0)
        cls.addClassCleanup(cls.served.close)
        cls.served.start()
        cls.someone = cls.served.account()
        cls.origin = f"http://{cls.served.address}"

    def opened(self, path="/docs/index.html", width=1280):
        """A browser that shows the viewer, with all operations loaded."""
        page = Browser()
        self.addCleanup(page.close)
        page.resize(width, 900)
        page.open(self.origin + path)
        page.wait_for(f"document.querySelectorAll('.opblock').length === {len(operations())}")
        return page

    def assertClean(self, page):
        """Nothing was written to the console, and no other host was requested."""
        self.assertEqual(page.complaints, [])
        strangers = [url for url in page.requested if not url.startswith((self.origin + "/", "data:"))]
        self.assertEqual(strangers, [])
        self.assertNotEqual(page.requested, [])

    def test_it_shows_every_operation(self):
        page = self.opened("/docs")
        shown = page.value("[...document.querySelectorAll('.opblock')].map(one => one.id)")
        self.assertEqual(set(shown), {f"operations-{tag}-{name}" for tag, name in operations()})
        self.assertEqual(page.value("location.pathname"), "/docs/index.html")
        self.assertIn("Quick start", page.text(".information-container"))
        self.assertClean(page)

    def test_every_operation_can_be_opened(self):
        page = self.opened()
        for tag, name in sorted(operations()):
            page.click(f"#operations-{tag}-{name} .opblock-summary-control")
            page.wait_for(f"document.querySelector('#operations-{tag}-{name} .responses-wrapper')"
                          " !== null")
        self.assertEqual(page.value("document.querySelectorAll('.errors-wrapper').length"), 0)
        self.assertClean(page)

    def test_pages_fit_a_phone(self):
        page = self.opened(width=390)
        page.click("#operations-Reels-analyzeReel .opblock-summary-control")
        page.wait_for("document.querySelector('.responses-wrapper') !== null")
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), 390)

    def test_an_operation_can_be_tried_with_a_token(self):
        job_id = self.someone.submit(LINK)
        page = self.opened()
        page.click(".auth-wrapper .authorize")
        page.type(".auth-container input", self.someone.token)
        page.click(".auth-btn-wrapper .authorize")
        page.click(".auth-btn-wrapper .btn-done")
        block = "#operations-Reels-listReels"
        page.click(f"{block} .opblock-summary-control")
        page.click(f"{block} .try-out__btn")
        page.click(f"{block} .execute")
        status = page.text(f"{block} .live-responses-table .response .response-col_status")
        self.assertTrue(status.startswith("200"), status)
        answer = page.text(f"{block} .live-responses-table .highlight-code")
        self.assertIn(f'"id": {job_id}', answer)
        self.assertClean(page)


if __name__ == "__main__":
    unittest.main(verbosity=2)
