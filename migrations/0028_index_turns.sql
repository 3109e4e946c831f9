-- What claims, submissions and permits read, by the order of turns (docs/adr/0032). The old indexes go: they would cost each
-- submission as much as the new ones. Daemons of the last release then read all active jobs for a claim, until they stop.
CREATE INDEX job_ready ON job (turn, id) WHERE status = 'pending' AND waits_for IS NULL;
CREATE INDEX job_delayed ON job (run_at) WHERE status = 'pending' AND waits_for = 'time';
CREATE INDEX job_in_line ON job (waits_for, account_id, turn) WHERE status = 'pending' AND waits_for <> 'time';
CREATE INDEX job_active_by_turn ON job (account_id, turn) WHERE status IN ('pending', 'processing');
DROP INDEX job_due;
DROP INDEX job_active;
ALTER INDEX job_active_by_turn RENAME TO job_active;
