-- Whether a job in line must wait although a permit is due, because uploads have filled the concurrent jobs of its account:
-- see release_queued_uploads(). Also true while another transaction holds the account's row.
CREATE OR REPLACE FUNCTION is_beyond_limit(of_account bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM job WHERE account_id = of_account AND is_upload AND status IN ('pending', 'processing'))
    THEN
        RETURN false;
    END IF;
    PERFORM FROM account WHERE id = of_account FOR NO KEY UPDATE SKIP LOCKED;
    RETURN NOT FOUND OR NOT has_room_beside_line(of_account, concurrent_jobs_of(of_account));
END
$$;
