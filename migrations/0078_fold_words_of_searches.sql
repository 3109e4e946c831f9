-- Searches compare words without accents, split at dots and slashes, and by pairs of letters in scripts without spaces. Daemons
-- add these forms of the words of existing reels, a reel at a time: a migration would delay deletions until its end.
CREATE TABLE missing_word_forms (
    before_job bigint NOT NULL  -- Reels with smaller ids may lack them. No row: none does.
);
INSERT INTO missing_word_forms VALUES (9223372036854775807);
