-- Writes the search index of a reel, and notes that it has to be compared with the account's saved searches. Called by the statement that makes the reel `done`.
--   words: texts of decreasing weight in the form of indexed_text(); the first counts 3 times as much as the last
--   concepts, concept_weights: the embedder's vector, component by component
--   shown: the passages
CREATE OR REPLACE FUNCTION add_search_entry(
    owner bigint, reel bigint, words text[],
    concepts integer[], concept_weights real[], shown text)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_document (account_id, job_id, passages) VALUES (owner, reel, shown);

    -- The part of BM25 that does not depend on other reels (k1 = 1.2, b = 0.75), at 200 words a reel.
    INSERT INTO search_word (account_id, job_id, lexeme, weight)
    WITH found AS (
        SELECT token.lexeme,
               sum(cardinality(token.positions) * greatest(3 - (part.rank - 1) * 0.7, 0.5)) AS frequency
          FROM unnest(words) WITH ORDINALITY AS part (content, rank),
               unnest(to_tsvector('english', part.content)) AS token
         WHERE length(token.lexeme) <= 100
         GROUP BY token.lexeme),
    whole AS (
        SELECT sum(frequency) / 200.0 AS length FROM found)
    SELECT owner, reel, found.lexeme, found.frequency * 2.2 / (found.frequency + 1.2 * (0.25 + 0.75 * whole.length))
      FROM found, whole
     ORDER BY found.frequency DESC LIMIT 1500;  -- Half an hour of speech has fewer words.

    INSERT INTO search_concept (account_id, job_id, concept, weight)
    SELECT owner, reel, part.concept, part.weight
      FROM unnest(concepts, concept_weights) AS part (concept, weight);

    INSERT INTO search_check (job_id, account_id)
    SELECT reel, owner WHERE EXISTS (SELECT FROM saved_search WHERE account_id = owner)
    ON CONFLICT DO NOTHING;
END
$$;
