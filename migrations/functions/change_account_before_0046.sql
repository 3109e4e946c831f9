-- The signature that daemons of the previous release call.
CREATE OR REPLACE FUNCTION change_account(
    changed bigint, wanted_disabled boolean, wanted_admin boolean,
    set_submissions boolean, submissions integer, set_jobs boolean, jobs integer,
    set_requests boolean, requests integer, set_budget boolean, budget numeric)
RETURNS text
LANGUAGE sql AS $$
    SELECT change_account(
        changed, wanted_disabled, wanted_admin, set_submissions, submissions, set_jobs, jobs, set_requests, requests,
        set_budget, budget, false, NULL)
$$;
