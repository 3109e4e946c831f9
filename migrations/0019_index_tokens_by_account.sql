-- An account's tokens, revoked ones too, for its export and for when it goes: see docs/adr/0025.

CREATE INDEX api_token_of_account ON api_token (account_id, id);
