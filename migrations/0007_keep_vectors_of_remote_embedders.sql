-- A dense vector for each reel, made in the background by a remote embedder where one is set. A reel is found without
-- one as well: by words and by concepts.

ALTER TABLE search_document
    -- By what the vector was made: provider, model, size, version of the text. Null: there is none.
    ADD COLUMN embedder text,
    -- The unit vector, quantised: see model/dense_vector.hpp.
    ADD COLUMN vector bytea,
    -- Somebody is at it, or it has failed: nobody tries before.
    ADD COLUMN embed_after timestamptz NOT NULL DEFAULT '-infinity',
    ADD CHECK ((embedder IS NULL) = (vector IS NULL)),
    -- Of 3,072 components at most, and a head.
    ADD CHECK (octet_length(vector) BETWEEN 5 AND 3076);

-- Bytes that look random cannot be compressed: nobody shall try.
ALTER TABLE search_document ALTER COLUMN vector SET STORAGE EXTERNAL;

-- Finds what an embedder has not made: everything before its name, after it, and the nulls.
CREATE INDEX search_document_embedder ON search_document (embedder, job_id DESC);
