-- Ends the setup link when an account becomes an administrator: by a link, by another one's change, or by being enabled.
CREATE OR REPLACE FUNCTION end_setup_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM invitation WHERE account_id IS NULL;
    RETURN NULL;
END
$$;
