-- The same picture once more, small, for the rows of lists, of which a page shows dozens.

-- At most 120 pixels wide. Reels from before have none, nor have copies of them: lists show their large one.
ALTER TABLE reel_thumbnail
    ADD COLUMN small_jpeg bytea CHECK (octet_length(small_jpeg) BETWEEN 4 AND 4096);

-- As for the large one: a JPEG cannot be compressed again.
ALTER TABLE reel_thumbnail ALTER COLUMN small_jpeg SET STORAGE EXTERNAL;
