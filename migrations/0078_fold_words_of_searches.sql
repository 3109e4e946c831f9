-- Searches compare words without accents, split at dots and slashes, and by pairs of letters in scripts without spaces: adds
-- these forms of the words of existing reels. Reels with only ASCII words get none.
INSERT INTO search_word (account_id, job_id, lexeme, weight)
SELECT word.account_id, word.job_id, form.lexeme, max(word.weight)
  FROM search_word AS word,
       LATERAL (
           SELECT regexp_replace(
                      replace(replace(replace(replace(
                          translate(normalize(word.lexeme, NFKD), U&'\00F8\0111\0127\0131\0142\0167\00F0./:@\\~',
                                    'odhiltd      '),
                          U&'\00E6', 'ae'), U&'\0153', 'oe'), U&'\00DF', 'ss'), U&'\00FE', 'th'),
                      U&'([a-z])[\0300-\036F]+', '\1', 'g') AS plain) AS decomposed,
       LATERAL (SELECT normalize(decomposed.plain, NFC) AS plain) AS composed,
       LATERAL (
           SELECT CASE WHEN composed.plain ~ U&'[\0E00-\0EFF\1000-\109F\1780-\17FF\3005\3040-\30FF\3400-\9FFF]'
                       THEN (SELECT string_agg(letter || next_letter, ' ')
                               FROM (SELECT letter, lead(letter) OVER (ORDER BY place) AS next_letter
                                       FROM regexp_split_to_table(composed.plain, '')
                                            WITH ORDINALITY AS split (letter, place)) AS pair)
                       ELSE composed.plain END AS text) AS folded,
       LATERAL unnest(to_tsvector('english', coalesce(folded.text, composed.plain))) AS form
 WHERE word.lexeme ~ '[^ -~]|[./:@\\~]'
 GROUP BY word.account_id, word.job_id, form.lexeme
    ON CONFLICT DO NOTHING;
