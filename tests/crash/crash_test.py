"""Tests that no crash loses a job, ends one twice, or makes more paid calls than allowed: a short run of the crash
harness with one daemon, and with two on one database.

A failure prints the seed of its run. crash_harness.py accepts the seed, and more jobs and kills.
"""

import unittest

import crash_harness


class Crashes(unittest.TestCase):
    def run_harness(self, *arguments):
        options = crash_harness.parse(arguments)
        print(f"\nseed {options.seed}", flush=True)
        run = crash_harness.Run(options)
        errors = run.run()
        report = run.report()
        print(report)
        if errors:
            self.fail("\n".join([*(text[:2000] for text in errors[:20]), report, "repeat with:"
                                 f" crash_harness.py {' '.join(arguments)} --seed {options.seed}"]))
        self.assertEqual(run.statistics["ended as done"] > 0, True, "something was analysed")
        self.assertTrue(any(kill["cut"] for kill in run.kills), "something was cut off")

    def test_one_daemon(self):
        self.run_harness("--daemons", "1", "--jobs", "60", "--kills", "12", "--seconds-max", "120")

    def test_two_daemons_on_one_database(self):
        self.run_harness("--daemons", "2", "--jobs", "90", "--kills", "14", "--seconds-max", "120")

    def test_two_daemons_on_one_data_directory(self):
        self.run_harness("--daemons", "2", "--jobs", "40", "--kills", "8", "--shared-data-dir",
                         "--seconds-max", "120")

    def test_local_analysis(self):
        # The default backlog could be finished before the second kill, and then nothing would be cut off.
        self.run_harness("--daemons", "1", "--jobs", "40", "--kills", "4", "--backlog", "8",
                         "--analyzer", "local", "--seconds-max", "120")


if __name__ == "__main__":
    unittest.main(verbosity=2)
