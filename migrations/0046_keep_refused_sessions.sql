-- A session that the platform has refused must not be used again: by no daemon, and after no restart. Each further request
-- makes it more likely that its account is banned.

-- By the SHA-256 of the file of cookies. The cookies themselves are in no table.
CREATE TABLE refused_platform_session (
    fingerprint text PRIMARY KEY,
    reason text NOT NULL,
    refused_at timestamptz NOT NULL DEFAULT now()
);
