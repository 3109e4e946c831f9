-- Search by words and by meaning. Both are inverted indexes of our own rather than tsvector columns under
-- GIN: each look-up is led by the account, so that one account's search never walks over another's reels;
-- a posting carries its weight, so that ranking reads index pages alone and no document; and how rare a
-- word is within the account counts, which ts_rank does not know.

-- What a hit shows of itself: the passages of the reel, a line each, as the layer of models writes and
-- reads them.
CREATE TABLE search_document (
    account_id bigint NOT NULL,
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
    passages text COMPRESSION lz4 NOT NULL,
    PRIMARY KEY (account_id, job_id)
);
CREATE INDEX search_document_of_job ON search_document (job_id);

-- How much a reel speaks of a word (a lexeme of the English configuration, which leaves names and other
-- languages nearly as they are).
CREATE TABLE search_word (
    account_id bigint NOT NULL,
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
    weight real NOT NULL CHECK (weight > 0),
    lexeme text NOT NULL,
    PRIMARY KEY (account_id, lexeme, job_id) INCLUDE (weight)
);
CREATE INDEX search_word_of_job ON search_word (job_id);

-- How much a reel is about a concept of the local embedder; the weights of a reel are a vector of length 1.
CREATE TABLE search_concept (
    account_id bigint NOT NULL,
    job_id bigint NOT NULL REFERENCES job ON DELETE CASCADE,
    concept integer NOT NULL,
    weight real NOT NULL CHECK (weight > 0),
    PRIMARY KEY (account_id, concept, job_id) INCLUDE (weight)
);
CREATE INDEX search_concept_of_job ON search_concept (job_id);

-- A search reads postings from the index alone only where the table's pages are known to be visible to
-- all: mark them after every few reels, not after a fifth of the table.
ALTER TABLE search_document SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE search_word SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE search_concept SET (autovacuum_vacuum_insert_scale_factor = 0.02);

-- Writes what a search finds a reel by. Called by the statement that makes the reel `done`.
--   words: texts of falling weight; the first counts 3 times as much as the last
--   concepts, concept_weights: the embedder's vector, component by component
--   shown: the passages
CREATE FUNCTION store_search_entry(
    owner bigint, reel bigint, words text[],
    concepts integer[], concept_weights real[], shown text)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_document (account_id, job_id, passages) VALUES (owner, reel, shown);

    -- The share of BM25 that does not depend on other reels (k1 = 1.2, b = 0.75), at 200 words a reel.
    INSERT INTO search_word (account_id, job_id, lexeme, weight)
    WITH found AS (
        SELECT token.lexeme,
               sum(cardinality(token.positions) * greatest(3 - (part.rank - 1) * 0.7, 0.5)) AS said
          FROM unnest(words) WITH ORDINALITY AS part (content, rank),
               unnest(to_tsvector('english', part.content)) AS token
         WHERE length(token.lexeme) <= 100
         GROUP BY token.lexeme),
    whole AS (
        SELECT sum(said) / 200.0 AS length FROM found)
    SELECT owner, reel, found.lexeme, found.said * 2.2 / (found.said + 1.2 * (0.25 + 0.75 * whole.length))
      FROM found, whole
     ORDER BY found.said DESC LIMIT 1500;  -- Half an hour of speech has fewer.

    INSERT INTO search_concept (account_id, job_id, concept, weight)
    SELECT owner, reel, part.concept, part.weight
      FROM unnest(concepts, concept_weights) AS part (concept, weight);
END
$$;
