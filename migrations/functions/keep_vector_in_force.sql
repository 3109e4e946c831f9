-- Keeps vectors of the active embedder. Daemons of the previous release know neither generations nor claims; one with
-- another embedder must not replace them. To be dropped by the next release.
CREATE OR REPLACE FUNCTION keep_vector_in_force() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.embedder = (SELECT name FROM embedder_generation ORDER BY generation DESC LIMIT 1) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;
