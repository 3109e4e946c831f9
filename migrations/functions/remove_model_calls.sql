-- Deletes calls. The totals over all accounts keep their cost. A call whose answer was lost is in the totals only while it
-- exists, so it is settled first, at an unknown cost.
CREATE OR REPLACE FUNCTION remove_model_calls(unwanted bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE model_call SET settled_at = now() WHERE id = ANY (unwanted) AND settled_at IS NULL;
    DELETE FROM model_call WHERE id = ANY (unwanted);
END
$$;
