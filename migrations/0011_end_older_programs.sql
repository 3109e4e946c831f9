-- A program that is older than the schema refuses to start. One that already runs when a newer one migrates below it
-- goes on: the next migrations keep what the last release uses (see migrations/README.md). A migration that cannot,
-- says here that older programs must stop, and they do.

CREATE TABLE schema_floor (
    -- One row for ever.
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- Programs whose newest migration is older than this one end themselves.
    version integer NOT NULL CHECK (version >= 0)
);
INSERT INTO schema_floor (version) VALUES (0);
