"""Tests what tests/bench/soak.py reports as growth, with generated series of half an hour and a sample each 10 s."""

import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench"))
from soak_gauges import Gauge, Series, assess_growth, gauge_of, table_rows, trend  # noqa: E402

MEMORY = gauge_of("daemon 0: memory")
SAMPLES = 180
SECONDS = 10


def series(value_at):
    return [(SECONDS * number, value_at(number)) for number in range(SAMPLES)]


def noise(width, seed=1):
    chance = random.Random(seed)
    return lambda number: 40 + chance.uniform(-width, width)


class Growth(unittest.TestCase):
    def grows(self, value_at, gauge=MEMORY):
        return assess_growth(gauge, series(value_at))[1]

    def test_the_slope_is_that_of_a_line(self):
        slope, low, high = trend([(0, 5), (10, 6), (20, 7), (40, 9)])
        self.assertAlmostEqual(slope, 0.1)
        self.assertLessEqual(low, slope)
        self.assertGreaterEqual(high, slope)

    def test_a_leak_is_found_in_noise(self):
        leak = 6 / (SAMPLES * 2 / 3)  # MiB per sample: 6 in the evaluated time.
        wobble = noise(3)
        self.assertTrue(self.grows(lambda number: wobble(number) + leak * number))

    def test_noise_spikes_and_a_sawtooth_are_not_growth(self):
        self.assertFalse(self.grows(noise(8)))
        self.assertFalse(self.grows(lambda number: 40 + (200 if number % 7 == 0 else 0)))
        self.assertFalse(self.grows(lambda number: 40 + number % 12))

    def test_growth_during_warm_up_is_ignored(self):
        self.assertFalse(self.grows(lambda number: 20 + min(number, SAMPLES / 3)))

    def test_growth_below_the_bound_is_accepted(self):
        self.assertFalse(self.grows(lambda number: 40 + 3 * number / SAMPLES))

    def test_one_descriptor_for_each_minute_is_found(self):
        self.assertTrue(self.grows(lambda number: 100 + number // 5, gauge_of("daemon 1: descriptors")))

    def test_one_connection_for_each_five_minutes_is_found(self):
        self.assertTrue(self.grows(lambda number: 8 + number // 30, gauge_of("both: database connections")))

    def test_growth_of_append_only_tables_is_accepted(self):
        self.assertTrue(self.grows(lambda number: 10 * number, gauge_of("rows of job")))
        self.assertFalse(self.grows(lambda number: 10 * number, gauge_of("rows of model_call")))

    def test_leaks_while_idle_are_reported(self):
        children, flat = Series(), Series()
        for one in (children, flat):
            one.points = series(lambda number: 3)
            one.rest = 0
        children.quiet, flat.quiet = 1, 0
        rows, growing = table_rows({"daemon 0: children": children, "daemon 1: children": flat})
        self.assertEqual(growing, ["daemon 0: children"])
        self.assertIn("left behind", rows[0][-1])

    def test_a_short_run_is_not_growth(self):
        self.assertEqual(assess_growth(Gauge(bound=1), [(0, 1)]), (0.0, False))


if __name__ == "__main__":
    unittest.main()
