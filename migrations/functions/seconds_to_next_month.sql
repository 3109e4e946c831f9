-- Seconds until budgets are reset, at the start of the next month in UTC.
CREATE OR REPLACE FUNCTION seconds_to_next_month(moment timestamptz) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT ceil(extract(epoch FROM
        (month_begin(moment) AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' - moment))::integer
$$;
