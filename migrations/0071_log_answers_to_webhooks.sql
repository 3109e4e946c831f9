-- What the last try of a delivery received, so that its owner sees why a receiver refuses it: the time that it took, and the
-- beginning of the answer's body.
ALTER TABLE webhook_delivery
    ADD COLUMN took_seconds double precision,
    ADD COLUMN answer text;
ALTER TABLE webhook_test
    ADD COLUMN took_seconds double precision,
    ADD COLUMN answer text;
