-- When the month of a moment began, in UTC, whatever the session's time zone is.
CREATE OR REPLACE FUNCTION month_begin(moment timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT date_trunc('month', moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
$$;
