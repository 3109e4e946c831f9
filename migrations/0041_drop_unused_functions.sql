-- Signatures that neither this release nor the last one calls. From here on, functions are files of migrations/functions/.

DROP FUNCTION submit_job(bigint, text, boolean, text, boolean, integer, integer);
DROP FUNCTION submit_jobs(bigint[], text[], boolean[], text[], boolean[], integer, integer);
DROP FUNCTION note_resolver_try(text, text, text, double precision, double precision);
