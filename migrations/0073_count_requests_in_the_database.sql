-- The limit of requests per minute holds over all daemons: they take tokens from one bucket for each account.
-- After a crash of the server the buckets are full again.
CREATE UNLOGGED TABLE request_bucket (
    account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
    tokens double precision NOT NULL,
    filled_at timestamptz NOT NULL
);
