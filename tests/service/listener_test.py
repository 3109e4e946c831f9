"""Tests which resources the daemon serves to which clients: /metrics, and requests with another host's name.

Method: daemons on loopback, so that all clients are on the same machine.
"""

import gzip
import re
import unittest

from service_support import Daemon, ServiceTest, run_reelsd

EVIL = {"Host": "evil.test"}


def metrics_address(daemon):
    return next(line["address"] for line in daemon.log_lines() if line["message"] == "serving metrics")


class Metrics(ServiceTest):
    def daemon(self, **settings):
        daemon = Daemon(workers=0, **settings)
        self.addCleanup(daemon.close)
        return daemon.start()

    def test_local_clients_read_metrics(self):
        served = self.daemon()
        self.assertIn(b"reelsd_database_up 1", served.request("GET", "/metrics").body)
        for name in ("X-Forwarded-For", "Forwarded"):
            self.assertProblem(served.request("GET", "/metrics", headers={name: "for=192.0.2.1"}), 404, "not found")
        for path in ("/%6detrics", "/metric%73", "/%2fmetrics"):
            self.assertProblem(served.request("GET", path), 404, "not found")

    def test_a_separate_address_for_metrics(self):
        served = self.daemon(metrics_listen="127.0.0.1:0")
        self.assertProblem(served.request("GET", "/metrics"), 404, "not found")
        main, served.address = served.address, metrics_address(served)
        elsewhere = served.request("GET", "/metrics", headers={"X-Forwarded-For": "192.0.2.1"})
        self.assertEqual(elsewhere.status, 200)
        self.assertIn(b"reelsd_database_up 1", elsewhere.body)
        for path in ("/", "/healthz", "/api/v1/reels"):
            self.assertProblem(served.request("GET", path), 404, "not found")
        self.assertEqual(served.request("GET", "/metrics", headers=EVIL).status, 421)
        served.address = main
        self.assertEqual(served.stop(), 0)

    def test_a_metrics_address_in_use(self):
        served = self.daemon()
        done = run_reelsd("serve", listen="127.0.0.1:0", data_dir=served.folder + "/other",
                          database_url="", metrics_listen=served.address)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"cannot listen on {served.address}", done.stderr)

    def test_metrics_are_compressed_on_request(self):
        served = self.daemon()
        packed = served.request("GET", "/metrics", headers={"Accept-Encoding": "gzip"})
        self.assertEqual((packed.headers["Content-Encoding"], packed.headers["Vary"]), ("gzip", "Accept-Encoding"))
        plain = served.request("GET", "/metrics")
        self.assertEqual((plain.headers["Content-Encoding"], plain.headers["Vary"]), (None, "Accept-Encoding"))
        self.assertLess(len(packed.body), len(plain.body) / 3)
        names = lambda text: set(re.findall(rb"^# TYPE (\S+)", text, re.MULTILINE))
        self.assertEqual(names(gzip.decompress(packed.body)), names(plain.body))


class HostNames(ServiceTest):
    def daemon(self, **settings):
        daemon = Daemon(workers=0, **settings)
        self.addCleanup(daemon.close)
        return daemon.start()

    def status(self, path, host):
        return self.served.request("GET", path, headers={"Host": host}).status

    def test_host_names_on_loopback(self):
        self.served = self.daemon()
        port = self.served.address.rsplit(":", 1)[1]
        for host in ("127.0.0.1", f"localhost:{port}", f"[::1]:{port}", "nas", "a.localhost"):
            for path in ("/", "/metrics", "/docs/openapi.yaml"):
                self.assertEqual(self.status(path, host), 200, (path, host))
        for path in ("/", "/sign-in", "/metrics", "/docs/openapi.yaml", "/dashboard/api/session", "/nowhere", "/api/v10"):
            refused = self.served.request("GET", path, headers=EVIL)
            self.assertEqual((refused.status, refused.json()["status"]), (421, "error"), path)
            self.assertIn("public-url", refused.json()["message"])
        guess = self.served.request("POST", "/dashboard/sign-in", {"email": "a@b.test", "password": "x"}, EVIL)
        self.assertEqual(guess.status, 421)
        self.assertEqual(self.status("/healthz", "evil.test"), 200)
        self.assertEqual(self.status("/readyz", "evil.test"), 200)
        self.assertEqual(self.status("/api/v1/reels", "evil.test"), 401)

    def test_the_log_has_an_ipv6_address_in_brackets(self):
        daemon = self.daemon(listen="[::1]:0")
        self.assertRegex(daemon.address, r"^\[::1\]:[0-9]+$")

    def test_host_names_with_a_public_url(self):
        self.served = self.daemon(public_url="https://reels.example.org")
        for host in ("reels.example.org", "reels.example.org:8443", "127.0.0.1", "localhost"):
            self.assertEqual(self.status("/", host), 200, host)
        self.assertEqual(self.status("/", "evil.test"), 421)

    def test_host_names_are_not_checked_on_all_addresses(self):
        self.served = self.daemon(listen="0.0.0.0:0")
        self.assertEqual(self.status("/", "evil.test"), 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
