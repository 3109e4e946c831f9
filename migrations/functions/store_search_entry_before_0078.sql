-- The name that daemons of the previous release call: with the words as they are in the texts.
CREATE OR REPLACE FUNCTION store_search_entry(
    owner bigint, reel bigint, words text[],
    concepts integer[], concept_weights real[], shown text)
RETURNS void
LANGUAGE sql AS $$
    SELECT add_search_entry(owner, reel, words, concepts, concept_weights, shown);
    SELECT add_word_forms(reel)
$$;
