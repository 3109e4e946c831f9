-- Adds the words of a reel in the form of indexed_text(), for entries of releases that stored them as they are in the texts.
-- These remain, for searches of such releases. Returns whether there were any to add.
CREATE OR REPLACE FUNCTION add_word_forms(reel bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    -- Scripts without spaces, and Han of them.
    unspaced CONSTANT text := U&'\0E00-\0EFF\1000-\109F\1780-\17FF\3005\3007\3040-\30FF\3400-\9FFF\+020000-\+03FFFF';
    greek_and_arabic CONSTANT text := U&'\0370-\03FF\0620-\064A\066E-\06D3\06FA-\06FF\0750-\077F';
    marks CONSTANT text := U&'\0300-\036F\0610-\061A\064B-\065F\0670\06D6-\06DC\06DF-\06E4\06E7\06E8\06EA-\06ED';
    han CONSTANT text := U&'\3005\3007\3400-\9FFF\+020000-\+03FFFF';
BEGIN
    INSERT INTO search_word (account_id, job_id, lexeme, weight)
    SELECT word.account_id, word.job_id, form.lexeme, max(word.weight)
      FROM search_word AS word,
           LATERAL (
               SELECT replace(replace(replace(replace(
                          translate(normalize(word.lexeme, NFKD), U&'\00F8\0111\0127\0131\0138\0142\014B\0167\00F0\03C2\0640',
                                    U&'odhiklntd\03C3'),  -- Without the Arabic tatweel.
                          U&'\00E6', 'ae'), U&'\0153', 'oe'), U&'\00DF', 'ss'), U&'\00FE', 'th') AS text) AS decomposed,
           LATERAL (
               SELECT normalize(regexp_replace(decomposed.text,
                          format('([a-z%1$s])[%2$s]+|(?<=\u0435)\u0308', greek_and_arabic, marks), '\1', 'g'), NFC) AS text) AS plain,
           LATERAL (
               SELECT regexp_replace(regexp_replace(plain.text,
                          '(?<![0-9])[./:@\\~]|[./:@\\~](?![0-9])', ' ', 'g'),
                          format('([%s]+)', unspaced), ' \1 ', 'g') AS text) AS separate,
           -- "ab bc" of "abc": each letter between two others ends a pair and begins the next.
           LATERAL unnest(to_tsvector('english', concat_ws(' ',
               regexp_replace(separate.text, format('(?<=[%1$s])([%1$s])(?=[%1$s])', unspaced), '\1 \1', 'g'),
               regexp_replace(separate.text, format('([%1$s])|[^%1$s]', han), '\1 ', 'g')))) AS form
     WHERE word.job_id = reel AND word.lexeme ~ '[^ -~]|[./:@\\~]'
     GROUP BY word.account_id, word.job_id, form.lexeme
        ON CONFLICT DO NOTHING;
    RETURN FOUND;
END
$$;
