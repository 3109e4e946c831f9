-- Ends the setup link when an account becomes an administrator: by an invitation, by another administrator, or when it is
-- enabled again.
CREATE OR REPLACE FUNCTION end_setup_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM invitation WHERE account_id IS NULL;
    RETURN NULL;
END
$$;
