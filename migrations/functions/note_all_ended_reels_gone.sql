-- Runs after TRUNCATE, which only an operator executes.
CREATE OR REPLACE FUNCTION note_all_ended_reels_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE ended_reels_version SET changed_by = pg_current_xact_id();
    RETURN NULL;
END
$$;
