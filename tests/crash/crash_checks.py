"""The checks after a crash run: they compare the records of the clients, the database, its history and the model's
stand-in.

The rule for calls that a kill interrupted, from ADR 0011: a call is a row before it is made. Therefore each call
that the stand-in has billed has a row: settled with the same tokens, or open (of unknown cost). A row is open only
if its claim was interrupted during a call, or if its answer does not show whether it is billed. A row is released
only for a call that was refused, or that its worker did not send because it was stopped before. Of each
interrupted claim at most one row is open, because a worker makes one call at a time.
"""

import collections
from decimal import Decimal

from crash_plans import COST_UNKNOWN
from model_support import PAID_CALLS_MAX, PRICES, exact

TERMINAL = ("done", "error")
RETRYABLE = ("rate_limited", "model_failed", "download_failed", "internal")


def check(run):
    """Returns descriptions of all errors."""
    errors = []
    rows = {row["id"]: row for row in run.sql.rows(
        "SELECT id, url, status, attempt, claim, error_code, result IS NOT NULL AS has_result FROM job")}
    history = collections.defaultdict(list)
    for event in run.sql.rows("SELECT * FROM crash_job ORDER BY seq"):
        history[event["job"]].append(event)
    calls = call_rows(run)
    errors += check_jobs(run, rows, history)
    errors += check_keys(run, rows)
    errors += check_ends(run, rows, history, calls)
    errors += check_tables(run)
    if run.options.analyzer == "local":
        errors += check_local_calls(run, rows)
    else:
        errors += check_calls(run, history, calls)
        errors += check_sums(run)
    return errors


# Jobs.


def check_jobs(run, rows, history):
    """Each accepted job ended once, or was deleted; no job exists that was not submitted."""
    errors = []
    inserted = {job for job, events in history.items() if events[0]["op"] == "made"}
    if inserted != set(run.by_id):
        errors.append(f"jobs that no client has submitted: {sorted(inserted - set(run.by_id))}, jobs that are missing:"
                      f" {sorted(set(run.by_id) - inserted)}")
    for job, plan in run.by_id.items():
        events = history[job]
        ends = [e for e in events if e["op"] == "changed" and e["status"] in TERMINAL
                and e["was"] not in TERMINAL]
        deletions = [e for e in events if e["op"] == "deleted"]
        after = [e for e in events if e["op"] == "changed" and e["was"] in TERMINAL]
        if after:
            errors.append(f"job {job} was changed after its end: {after}")
        if plan.delete_ended:
            if job in rows or len(deletions) != 1:
                errors.append(f"job {job} exists after its deletion, or was deleted twice: {deletions}")
        elif deletions or job not in rows:
            errors.append(f"job {job} is missing but was not deleted")
        elif rows[job]["status"] not in TERMINAL:
            errors.append(f"job {job} is left: {rows[job]}")
        if len(ends) != 1 and not (deletions and not ends):
            errors.append(f"job {job} ended {len(ends)} times: {ends}")
        errors += check_claims(job, events)
    return errors


def check_claims(job, events):
    """Each claim has the next number. It takes a pending job, or again one that was claimed without its worker's
    knowledge, which counts no attempt."""
    errors, claim = [], 0
    for event in events:
        if event["op"] != "changed":
            continue
        is_claim = event["status"] == "processing" and event["claim"] != event["claim_was"]
        if is_claim and event["attempt"] - event["attempt_was"] != int(event["was"] == "pending"):
            errors.append(f"job {job}: an attempt was counted incorrectly: {event}")
        if event["claim"] != claim + (1 if is_claim else 0):
            errors.append(f"job {job}: claim {event['claim']} after {claim}: {event}")
        claim = event["claim"]
        is_step = event["was"] == event["status"] == "processing"
        if event["status"] == "processing" and not is_claim and not is_step:
            errors.append(f"job {job} was claimed in the state {event['was']}")
    return errors


def check_keys(run, rows):
    """Each key belongs to one job, however often it was sent."""
    errors = []
    keys = {row["key"]: row["job_id"] for row in run.sql.rows("SELECT key, job_id FROM submission_key")}
    for plan in run.plans:
        if plan.job_id is None or plan.delete_begun:
            continue
        if keys.get(plan.key) != plan.job_id:
            errors.append(f"{plan.key} belongs to job {keys.get(plan.key)}, but the answer was job {plan.job_id}")
    ids = [plan.job_id for plan in run.plans if plan.job_id is not None]
    errors += [f"job {job} has {count} keys" for job, count in collections.Counter(ids).items()
               if count > 1]
    errors += [f"job {job} has the link {rows[job]['url']}, not {plan.url}"
               for job, plan in run.by_id.items() if job in rows and rows[job]["url"] != plan.url]
    return errors


def check_ends(run, rows, history, calls):
    """Each job ended as its post and its calls determine, unless it had no attempt or no call left."""
    errors = []
    attempts_max = int(run.daemons[0].settings["attempts_max"])
    counts = collections.Counter(call["job"] for call in calls.values() if call["state"] != "released")
    for job, row in rows.items():
        plan = run.by_id.get(job)
        if plan is None or row["status"] not in TERMINAL:
            continue
        code, is_last = row["error_code"], row["attempt"] >= attempts_max
        run.statistics[f"ended as {code or 'done'}"] += 1
        if code == "internal":
            end = [e for e in history[job] if e["status"] in TERMINAL][-1]
            if not (is_last and end["lease_ran_out"]):
                errors.append(f"job {job} is an internal error without dying {attempts_max} times: {row}")
            continue
        allowed = {plan.error_code}
        if plan.error_code is None and plan.may_be_refused and run.options.analyzer != "local":
            allowed.add("model_failed")
        if counts[job] >= PAID_CALLS_MAX:
            allowed.add("model_failed")
        if is_last:
            allowed.update(RETRYABLE)
            if run.options.private_cluster:
                allowed.add("storage_error")
        if code not in allowed:
            errors.append(f"job {job} ({plan.url}, {plan.post}, {plan.calls}) ended as {code or 'done'}:"
                          f" {row}, {counts[job]} calls")
    return errors


def check_tables(run):
    """The dependent rows of a job are complete when it ends, and are deleted with it."""
    errors = []
    for what, select in {
            "a job in progress or waiting": "SELECT id FROM job WHERE status NOT IN ('done', 'error')",
            "a call under way": "SELECT id FROM model_call AS call WHERE is_under_way(call)",
            "a done job that no search finds":
                "SELECT id FROM job WHERE status = 'done' AND NOT EXISTS"
                " (SELECT FROM search_document AS found WHERE found.job_id = job.id)",
            "something to find of a job that is not done":
                "SELECT job_id FROM search_document WHERE job_id NOT IN"
                " (SELECT id FROM job WHERE status = 'done')",
            "a picture of a job that is not done":
                "SELECT job_id FROM reel_thumbnail WHERE job_id NOT IN"
                " (SELECT id FROM job WHERE status = 'done')",
            "a call that was changed after it was settled":
                "SELECT call FROM crash_call WHERE op = 'changed'"}.items():
        found = run.sql.rows(select)
        if found:
            errors.append(f"{what}: {found[:10]}")
    pictures = run.sql.value("SELECT count(*) FROM job WHERE status = 'done' AND NOT EXISTS"
                             " (SELECT FROM reel_thumbnail AS taken WHERE taken.job_id = job.id)")
    run.statistics["done without a picture"] = int(pictures)
    return errors


# Calls.


def call_rows(run):
    """{call: its current row, or the row as it was begun}; `state` is settled, open or released."""
    starts = {worker: start for daemon in run.daemons for worker, start in daemon.starts.items()}
    calls = {}
    for event in run.sql.rows("SELECT * FROM crash_call WHERE op = 'begun' AND number > 0 ORDER BY seq"):
        calls[event["call"]] = {**event, "start": starts.get(event["worker"]), "state": "released"}
    for row in run.sql.rows("SELECT id, number, model, settled_at IS NOT NULL AS is_settled, prompt_tokens,"
                            " cached_prompt_tokens, output_tokens, thinking_tokens, response_id,"
                            " cost_usd::text AS cost_usd FROM model_call WHERE number > 0"):
        calls[row["id"]].update(row, state="settled" if row["is_settled"] else "open")
    return calls


def check_calls(run, history, calls):
    errors = []
    records = run.model.calls()
    codes = {job: plan.code for job, plan in run.by_id.items()}
    by_response = {record.response_id: record for record in records if record.response_id}
    settled = collections.Counter()
    begun = collections.defaultdict(collections.Counter)  # {(start, code): {state: rows}}
    for call in calls.values():
        place = call["start"], codes.get(call["job"])
        begun[place][call["state"]] += 1
        if call["start"] is None:
            errors.append(f"a call has no job: {call}")
        if call["state"] == "settled":
            settled[call["response_id"]] += 1
            errors += differences(call, by_response.get(call["response_id"]), place)
    errors += [f"the answer {answer} is settled {count} times" for answer, count in settled.items()
               if count > 1]

    sent = collections.defaultdict(collections.Counter)
    for record in records:
        place = record.start, record.code
        sent[place]["all"] += 1
        is_settled = record.response_id in settled
        sent[place]["refused"] += record.status != 200
        sent[place]["billed"] += bool(record.usage)
        sent[place]["not settled"] += bool(record.usage) and not is_settled
        sent[place]["unknown"] += bool(record.fault) and record.fault.name in COST_UNKNOWN
    unplanned = [record for record in records if record.status != 200 and not record.fault]
    if unplanned:
        errors.append(f"{len(unplanned)} calls were refused as invalid: {unplanned[:3]}")
    cut = cut_claims(run, history, codes)
    for place in set(begun) | set(sent):
        rows, asked = begun[place], sent[place]
        about = f"{place}: rows {dict(rows)}, calls {dict(asked)}, claims cut off {cut[place]}"
        if asked["all"] > sum(rows.values()):
            errors.append(f"a call without a row: {about}")
        if rows["released"] > asked["refused"] + cut[place]:  # A worker that is stopped sends nothing.
            errors.append(f"a row was released without a refusal: {about}")
        if asked["not settled"] > rows["open"]:
            errors.append(f"a billed call has no row: {about}")
        is_open_for_no_reason = rows["open"] > asked["unknown"] + cut[place]
        if is_open_for_no_reason and run.options.private_cluster:
            run.statistics["rows open after an outage"] += 1  # The outage was between the row and its answer.
        elif is_open_for_no_reason:
            errors.append(f"a row is open without an interruption: {about}")
    per_job = collections.Counter(call["job"] for call in calls.values() if call["state"] != "released")
    errors += [f"job {job} has {count} paid calls" for job, count in per_job.items()
               if count > PAID_CALLS_MAX]
    jobs = collections.Counter(codes.values())
    billed = collections.Counter(record.code for record in records if record.usage)
    errors += [f"{code} was billed {count} calls for {jobs[code]} job(s)" for code, count in billed.items()
               if count > PAID_CALLS_MAX * jobs[code]]
    for name in ("settled", "open", "released"):
        run.statistics[f"calls {name}"] = sum(rows[name] for rows in begun.values())
    run.statistics["calls billed and cut off"] = sum(asked["not settled"] for asked in sent.values())
    run.statistics["calls that arrived"] = len(records)
    return errors


def differences(call, record, place):
    """Differences between a settled row and the answer that it names."""
    if record is None:
        return [f"a settled call has an answer that was never sent: {call}"]
    if (record.start, record.code) != place:
        return [f"an answer to {record.start}, {record.code} was settled for {place}"]
    if not record.usage:
        return [f"a call is settled that was not billed: {call}"]
    settled = (call["prompt_tokens"], call["cached_prompt_tokens"], call["output_tokens"],
              call["thinking_tokens"])
    used = record.usage
    billed = used["prompt_tokens"], used["cached_tokens"], used["output_tokens"], used["thoughts"]
    if settled != billed or Decimal(call["cost_usd"]) != cost_of(used):
        return [f"settled {settled} at {call['cost_usd']}, billed {billed} at {cost_of(used)}: {call}"]
    return []


def cost_of(used):
    price = [Decimal(one) for one in PRICES[used["model"]]]
    return ((used["prompt_tokens"] - used["cached_tokens"]) * price[0] + used["output_tokens"] * price[1]
            + used["cached_tokens"] * price[2]) / 1000000


def cut_claims(run, history, codes):
    """{(start, code): number of claims that no report ended}: the lease expired, the job was deleted in between,
    or it was released, as by a worker that could not renew its lease."""
    starts = {worker: start for daemon in run.daemons for worker, start in daemon.starts.items()}
    cut = collections.Counter()
    for job, events in history.items():
        for event in events:
            is_left = event["was"] == "processing" and event["status"] != "processing"
            is_deleted = event["op"] == "deleted" and event["was"] == "processing"
            is_released = is_left and event["op"] == "changed" and (
                event["attempt"] < event["attempt_was"])
            if is_deleted or (is_left and (event["lease_ran_out"] or is_released)):
                cut[starts.get(event["worker"]), codes.get(job)] += 1
    return cut


def check_sums(run):
    """The usage that the API reports to the account."""
    errors = []
    usage = exact(run.account.request("GET", "/api/v1/reels/usage"))
    settled = set(run.sql.run("SELECT response_id FROM model_call WHERE number > 0"
                              " AND settled_at IS NOT NULL").split())
    billed = [record.usage for record in run.model.calls() if record.response_id in settled]
    opened = int(run.sql.value("SELECT count(*) FROM model_call WHERE settled_at IS NULL"))
    expected = {
        "total_calls": len(billed) + opened,
        "total_prompt_tokens": sum(one["prompt_tokens"] for one in billed),
        "total_output_tokens": sum(one["output_tokens"] for one in billed),
        "total_cost_usd": sum((cost_of(one) for one in billed), Decimal(0))}
    for name, value in expected.items():
        if usage[name] != value:
            errors.append(f"{name} is {usage[name]} and should be {value}")
    totals = run.sql.rows(
        "SELECT total.model, total.calls, total.prompt_tokens, total.output_tokens,"
        " total.cost_usd::text AS cost_usd FROM model_total AS total"
        " WHERE ROW (calls::numeric, prompt_tokens::numeric, output_tokens::numeric, cost_usd)"
        " IS DISTINCT FROM (SELECT ROW (count(*)::numeric, sum(prompt_tokens), sum(output_tokens),"
        " coalesce(sum(cost_usd), 0)) FROM model_call"
        "   WHERE model = total.model AND provider = total.provider AND settled_at IS NOT NULL)")
    if totals:
        errors.append(f"the totals for /metrics are not those of the ledger: {totals}")
    run.statistics["cost in microdollars"] = int(expected["total_cost_usd"] * 1000000)
    return errors


def check_local_calls(run, rows):
    """Local analyses: one for each done job that is not a copy, without a cost."""
    errors = []
    calls = run.sql.rows("SELECT job_id, number, cost_usd::text AS cost FROM model_call")
    per_job = collections.Counter(call["job_id"] for call in calls)
    errors += [f"a local analysis with number or cost: {call}" for call in calls
               if call["number"] != 0 or Decimal(call["cost"]) != 0]
    twins = collections.Counter(plan.code for plan in run.plans)
    for job, row in rows.items():
        plan, count = run.by_id[job], per_job[job]
        is_done = row["status"] == "done"
        if count > is_done or (is_done and not count and twins[plan.code] == 1):
            errors.append(f"job {job} is {row['status']} and has {count} local analyses")
    run.statistics["local analyses"] = len(calls)
    return errors


# Logs and tables of the report.


def check_logs(daemon, counts, with_outages):
    """Errors in the logs of all starts, unless the database was unreachable at times."""
    errors = collections.Counter()
    for line in daemon.all_log_lines():
        level, message = line.get("level"), line.get("message", "")
        if level == "error" and not with_outages:
            errors[f"{message} {line.get('reason', '')}"[:300]] += 1
        elif level in ("warning", "error"):
            counts[f"log: {message}"] += 1
    return [f"logged as an error by {daemon.name}, {count} times: {text}"
            for text, count in errors.items()]


def cut_steps(run):
    """{place where a job was interrupted: [jobs, kills]}."""
    table = {where: [0, 0] for where in (
        "start of the daemon", "no job in progress", "claimed, not begun", "resolve", "download", "probe",
        "analyze, before a call", "call written, not sent", "call sent, not answered",
        "call answered, not settled", "call settled: check, picture, report", "analyze")}
    records = collections.defaultdict(list)
    for record in run.model.calls():
        records[record.start, record.code].append(record)
    codes = {job: plan.code for job, plan in run.by_id.items()}
    for kill in run.kills:
        places = [place_of(run, job, records[kill["start"], codes.get(job["id"])]) for job in kill["cut"]]
        if kill["aim"] == "start":
            places = ["start of the daemon"] + places
        for place in places or ["no job in progress"]:
            table[place][0] += place not in ("start of the daemon", "no job in progress")
        for place in set(places or ["no job in progress"]):
            table[place][1] += 1
    return {where: counts for where, counts in table.items() if any(counts)}


def place_of(run, job, records):
    if job["step"] is None:
        return "claimed, not begun"
    if job["step"] != "analyze" or run.options.analyzer == "local":
        return job["step"]
    if job["open_calls"]:
        last = records[-1] if records else None
        if last is None:
            return "call written, not sent"
        return "call answered, not settled" if last.delivered else "call sent, not answered"
    return "call settled: check, picture, report" if job["settled_calls"] else "analyze, before a call"
