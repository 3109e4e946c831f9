-- Request hash of the submission of a single link: 128 bits in hexadecimal, as for lists, whose hashes the daemon computes.
CREATE OR REPLACE FUNCTION hash_of_link(link text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT left(encode(sha256(convert_to(link, 'UTF8')), 'hex'), 32)
$$;
