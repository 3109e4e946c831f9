-- The oldest calls of all accounts, for a ledger that is kept for a time alone: see docs/adr/0025.

CREATE INDEX model_call_age ON model_call (called_at, id);
