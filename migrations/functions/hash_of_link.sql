-- The request hash of a submission of a single link; those of lists come from the daemon. As there, 128 bits in hexadecimal.
CREATE OR REPLACE FUNCTION hash_of_link(link text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(encode(sha256(convert_to(link, 'UTF8')), 'hex'), 32)
$$;
