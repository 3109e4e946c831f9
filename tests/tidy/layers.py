"""Which folder may include which: the layers as one table."""

import re
from pathlib import PurePosixPath

# From the bottom up. A folder includes only folders of a lower rank.
RANKS = {
    "base": 0,
    "async": 1,
    "db": 2, "http": 2, "net": 2, "process": 2,
    "domain": 3, "platform": 3, "model": 3, "media": 3,
    "api": 4, "dashboard": 4, "bot": 4, "work": 4,
    "app": 5,
}

# Exceptions where the rank would allow too much: only the named layers (and app) may include these.
ONLY_FOR = {
    "http": {"api", "dashboard"},
    "db": {"domain"},
    "net": {"platform", "model", "bot", "work"},
    "process": {"media", "platform"},
}

# The client is a separate program.
CLI_USES = {"base", "net"}

# Within domain, folders include only the named ones: a submission is one transaction over three folders, a webhook
# reports a job, and a question is refused as a submission is.
DOMAIN_USES = {"jobs": {"accounts"}, "webhooks": {"jobs"}, "chats": {"accounts", "jobs"}, "exports": {"jobs"},
               "questions": {"jobs"}}

# A table's statements belong to one folder of domain. Others use its view `job_state`, or its stores.
TABLE_OWNERS = {"job": "src/domain/jobs"}

# Foreign headers and the only folder that may include each.
FOREIGN = [
    (re.compile(r"^(libpq-fe|libpq/|pg_config|postgres_ext)"), "db"),
    (re.compile(r"^curl/"), "net"),
    (re.compile(r"^boost/beast"), "http"),
    # OpenSSL as TLS; all layers may use its hashes and random bytes.
    (re.compile(r"^openssl/(ssl|tls1|x509|pem|bio|err)"), "http"),
    (re.compile(r"^(libav\w+/|libsw\w+/)"), "media"),
]


def layer_of(path: PurePosixPath) -> str | None:
    """The layer of one of our sources, by its path from the root; None outside of the layers."""
    parts = path.parts
    if parts[:2] == ("include", "reelsd") and len(parts) > 3:
        return parts[2]
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return None


def domain_folder_of(path: PurePosixPath) -> str | None:
    """"reels" of src/domain/reels/store.cpp or reelsd/domain/reels/store.hpp."""
    parts = path.parts
    if "domain" not in parts:
        return None
    after = parts[parts.index("domain") + 1:]
    return after[0] if len(after) > 1 else None


def layer_objection(user: str, used: str) -> str | None:
    """Why files of layer `user` may not include layer `used`; None if they may."""
    if user == used:
        return None
    if user == "cli":
        return None if used in CLI_USES else f"cli uses net and base alone, not {used}"
    if used not in RANKS or user not in RANKS:
        return f"no rank is known for {used if used not in RANKS else user}"
    if (user, used) == ("model", "media"):
        return None
    if RANKS[user] == RANKS[used]:
        return f"{user} and {used} are of the same rank"
    if RANKS[user] < RANKS[used]:
        return f"{user} is below {used}"
    if used in ONLY_FOR and user != "app" and user not in ONLY_FOR[used]:
        return f"{used} is for {', '.join(sorted(ONLY_FOR[used]))} and app, not for {user}"
    return None


def domain_objection(user: PurePosixPath, used: PurePosixPath) -> str | None:
    """The same between two folders of domain."""
    mine, theirs = domain_folder_of(user), domain_folder_of(used)
    if mine is None or theirs is None or mine == theirs or theirs in DOMAIN_USES.get(mine, set()):
        return None
    return f"domain/{mine} may not use domain/{theirs}"


def foreign_objection(user: str | None, header: str) -> str | None:
    """Why layer `user` may not include the foreign `header`."""
    for pattern, home in FOREIGN:
        if pattern.match(header) and user != home:
            return f"<{header}> belongs into {home} alone"
    return None
