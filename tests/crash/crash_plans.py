"""The jobs of a crash run, generated from its seed: the links, the behaviour of the platform and the model for
each, which jobs are deleted, and how each may end."""

import dataclasses

LINK = "https://www.instagram.com/reel/%s/"
TEST_LINK = "reelsd-unavailable"

# (weight, the post at the platform, error code of a permanent failure; None: it is analysed)
POSTS = [
    (52, {}, None),
    (6, {"page": "slow", "delay": 0.3}, None),
    (5, {"page": "flaky"}, None),
    (5, {"media": "flaky"}, None),
    (4, {"media": "cut"}, None),
    (4, {"media": "expire_once"}, None),
    (4, {"media": "gone_once"}, None),
    (10, {"page": "private"}, "unavailable"),
    (8, {"page": "deleted"}, "unavailable"),
    (3, {"page": "photo_page"}, "unsupported_format"),
    (3, {"page": "server_error"}, "download_failed"),
    (14, None, "unavailable"),  # A test link.
]
# (weight, failures of the model's calls in order, whether the job may fail because of them)
CALLS = [
    (50, [], False),
    (8, [("overloaded", {"retry_after": 0})], False),
    (5, [("overloaded", {"retry_after": 0})] * 2, False),
    (6, [("internal", {})], False),
    (6, [("per_minute", {"delay": "0.1s"})], False),
    (4, [("html_502", {})], False),
    (3, [("html_502", {})] * 3, False),
    (5, [("not_json", {})], False),
    (3, [("max_tokens", {})], False),
    (3, [("reset_after_body", {})], False),
    (2, [("cut_json", {})], False),
    (2, [("not_json", {})] * 12, True),
    (2, [("reset_after_body", {})] * 12, True),
    (3, [("safety", {})], True),
]
# Calls that may have been billed: the answer was incomplete, or a gateway timed out.
COST_UNKNOWN = ("reset_after_body", "cut_json", "html_502")
SLOWNESS = (0, 0, 0.1, 0.4, 1.0)  # Seconds.


@dataclasses.dataclass
class Plan:
    number: int
    code: str
    url: str
    key: str
    post: dict
    error_code: str
    calls: list
    may_be_refused: bool
    slowness: float
    is_deleted: bool
    delete_after: float  # Seconds after its 202.
    is_repeated: bool  # It is submitted twice with one key.

    # Its outcome.
    job_id: int = None
    delete_begun: bool = False
    delete_ended: bool = False


def weighted(dice, rows):
    return dice.choices(rows, [row[0] for row in rows])[0]


def make_plans(dice, count, with_deletions=True):
    plans = []
    for number in range(count):
        code = f"DYcr{number:07}"
        _, post, error_code = weighted(dice, POSTS)
        _, calls, may_be_refused = weighted(dice, CALLS)
        twins = [plan for plan in plans[-40:] if plan.error_code is None and plan.post == {}]
        plan = Plan(
            number=number, code=code, url=LINK % (code if post is not None else TEST_LINK),
            key=f"key-{number}-{dice.getrandbits(32):08x}", post=post, error_code=error_code,
            calls=list(calls), may_be_refused=may_be_refused, slowness=dice.choice(SLOWNESS),
            is_deleted=with_deletions and dice.random() < 0.1, delete_after=dice.uniform(0, 2.5),
            is_repeated=dice.random() < 0.05)
        if twins and dice.random() < 0.05:  # The same post again: it may be copied, and not paid for.
            twin = dice.choice(twins)
            plan.code, plan.url = twin.code, f"https://instagram.com/p/{twin.code}/?igsh={number}"
            plan.post, plan.error_code, plan.calls = twin.post, None, twin.calls
            plan.may_be_refused, plan.slowness = twin.may_be_refused, twin.slowness
        plans.append(plan)
    return plans
