-- What has ended longest ago comes first when results are kept for a time alone: see docs/adr/0025.

CREATE INDEX job_ended ON job (finished_at, id) WHERE status IN ('done', 'error');
