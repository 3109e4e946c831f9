-- Searches ignore accents of Greek letters, vowels of Arabic, and the dots of the Russian "ё". The words of all earlier reels
-- get these forms again: add_word_forms().
DELETE FROM missing_word_forms;
INSERT INTO missing_word_forms VALUES (9223372036854775807);
