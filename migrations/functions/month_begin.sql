-- Start of a moment's month in UTC, independent of the session's time zone.
CREATE OR REPLACE FUNCTION month_begin(moment timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT date_trunc('month', moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
$$;
