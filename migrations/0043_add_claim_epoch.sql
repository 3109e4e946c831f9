-- Claims whose answers were lost were told apart by a counter in the worker's name, "WORKER/0000000001", which was compared
-- as text. Now the counter is a column.

ALTER TABLE job
    -- Of the claim, among the claims of one worker: it grows after each claim whose answer was lost. What the worker holds
    -- under a lower epoch, without knowing it, is taken by its next claim. Daemons of the last release leave it as it is:
    -- no other daemon has their workers' names.
    ADD COLUMN claim_epoch integer NOT NULL DEFAULT 0;
