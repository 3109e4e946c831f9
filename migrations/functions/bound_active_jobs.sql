-- Upper bound on the active jobs of an account whose row is locked. If the bound stored in the row admits all submissions,
-- returns it; otherwise counts the jobs, at most up to the limit. Parameters as in decide_submissions().
CREATE OR REPLACE FUNCTION bound_active_jobs(
    owner account, numbers integer[], queue_wishes boolean[], concurrent_max integer, queued_max integer)
RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    all_queue boolean := NOT EXISTS (SELECT FROM unnest(numbers) AS place WHERE NOT queue_wishes[place]);
    any_queues boolean := EXISTS (SELECT FROM unnest(numbers) AS place WHERE queue_wishes[place]);
BEGIN
    IF owner.active_jobs_as_of = owner.bucket_at
       AND owner.active_jobs_at_most + cardinality(numbers)
           <= concurrent_max + (CASE WHEN all_queue THEN queued_max ELSE 0 END) THEN
        RETURN owner.active_jobs_at_most;
    END IF;
    RETURN count_active_jobs(owner.id, concurrent_max + CASE WHEN any_queues THEN queued_max ELSE 0 END);
END
$$;
