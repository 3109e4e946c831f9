-- An account chooses which events its default address receives; before, all of them.
ALTER TABLE webhook_default
    ADD COLUMN events text[] NOT NULL DEFAULT '{done,error,search.matched}';
