"""The times of the permits to send requests to the platform. Requests arrive later, in particular on a busy machine."""

RECORD = """
CREATE TABLE permit (host text, resolver text, at timestamptz);
CREATE FUNCTION note_permit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.permit VALUES (NEW.host, NEW.resolver, NEW.hour_at);
    RETURN NULL;
END
$$;
CREATE TRIGGER note_permit AFTER UPDATE ON resolver_pace FOR EACH ROW
    WHEN (NEW.hour_at IS DISTINCT FROM OLD.hour_at) EXECUTE FUNCTION note_permit();
"""


def record(sql):
    """From now on, permits are recorded; `sql` runs a statement in the database."""
    sql(RECORD)


def seconds_between(sql, resolver, host="127.0.0.1"):
    """The seconds between the permits of a resolver, in their order. The session has its own, of the host "HOST (session)"."""
    rows = sql("SELECT extract(epoch FROM at - lag(at) OVER (ORDER BY at)) FROM permit"
               f" WHERE host = '{host}' AND resolver = '{resolver}' ORDER BY at").splitlines()
    return [float(row) for row in rows if row]
