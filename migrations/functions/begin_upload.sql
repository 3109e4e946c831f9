-- Decides whether a file may be uploaded, by the rules of submit_jobs(), and creates its row. A key that was used before is
-- decided when the file has arrived.
--   uploads_max: limit of the account's concurrent uploads; others as for submit_jobs()
-- outcome: 'admitted' (upload_id is set), 'too_many_uploads' (job_limit is uploads_max) or a refusal of decide_submissions()
CREATE OR REPLACE FUNCTION begin_upload(
    caller bigint, costs_money boolean, may_queue boolean, wanted_key text, uploads_max integer, rate_default integer,
    concurrent_default integer)
RETURNS TABLE (
    outcome text, upload_id bigint, job_limit integer, rate_limit integer, tokens double precision, retry_after integer,
    monthly_budget_usd numeric)
LANGUAGE plpgsql AS $$
DECLARE
    owners account[] := lock_accounts(ARRAY[caller]);
    moment timestamptz := clock_timestamp();
BEGIN
    SELECT decided.outcome, decided.job_limit, decided.rate_limit, decided.tokens, decided.retry_after, decided.monthly_budget_usd
      INTO outcome, job_limit, rate_limit, tokens, retry_after, monthly_budget_usd
      FROM decide_submissions(
           owners[1], ARRAY[1], moment, 1, ARRAY[''], ARRAY[costs_money], ARRAY[NULL]::text[], ARRAY[NULL]::text[],
           ARRAY[0], ARRAY[may_queue], rate_default, concurrent_default) AS decided;
    IF outcome <> 'admitted' AND EXISTS (
        SELECT FROM submission_key
         WHERE account_id = caller AND key = wanted_key AND created_at > moment - interval '24 hours')
    THEN
        outcome := 'admitted';
    END IF;
    IF outcome = 'admitted' THEN
        IF (SELECT count(*) FROM upload WHERE account_id = caller AND job_id IS NULL) >= uploads_max THEN
            outcome := 'too_many_uploads';
            job_limit := uploads_max;
            tokens := tokens + 1;  -- Returns the token that decide_submissions() took.
            retry_after := 5;  -- The end of an upload is not known.
        ELSE
            INSERT INTO upload (account_id) VALUES (caller) RETURNING id INTO upload_id;
        END IF;
    END IF;
    RETURN NEXT;
END
$$;
