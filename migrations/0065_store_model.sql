-- The remote model that an administrator has entered in the dashboard. One sealed document, so that neither a copy of
-- the database nor a change of its address reveals the key (ADR 50).
CREATE TABLE stored_model (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    sealed bytea NOT NULL CHECK (octet_length(sealed) BETWEEN 1 AND 16384),
    changed_at timestamptz NOT NULL DEFAULT now()
);
