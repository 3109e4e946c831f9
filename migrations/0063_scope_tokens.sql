-- A token may be limited to reading or to submitting, and may expire. Existing tokens have the scope all and do not expire.
-- Daemons of the last release ignore both.
CREATE TYPE token_scope AS ENUM ('all', 'read', 'submit');

ALTER TABLE api_token
    ADD COLUMN scope token_scope NOT NULL DEFAULT 'all',
    ADD COLUMN expires_at timestamptz;
