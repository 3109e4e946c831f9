-- A job keeps all paid answers of its model, at most three: an unusable one no longer replaces a usable one.

-- Each ends with a newline, which none contains, because they are JSON strings.
ALTER TABLE kept_analysis ADD COLUMN earlier text NOT NULL DEFAULT '';
