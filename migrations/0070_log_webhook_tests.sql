-- The log of a webhook's tests, which are about no job: daemons of the last release read a job in each row of
-- webhook_delivery. Both tables share their ids, so that one page lists both in order of time.
CREATE TABLE webhook_test (
    id bigint PRIMARY KEY DEFAULT nextval(pg_get_serial_sequence('webhook_delivery', 'id')),
    account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
    -- `webhook-id`.
    message_id text NOT NULL,
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
    status_code integer CHECK (status_code BETWEEN 100 AND 999),
    -- Why it failed; null if it was delivered.
    cause text CHECK (cause <> ''),
    tried_at timestamptz NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_test_of_account ON webhook_test (account_id, id DESC);
CREATE INDEX webhook_test_ended ON webhook_test (ended_at);
