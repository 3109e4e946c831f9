-- A reel shows the path of its video while that is kept. Daemons cache reels (docs/adr/0022), so the removal of a kept video
-- changes the account's version of ended reels, like a change of the reel itself. Changes expire_videos().

CREATE TRIGGER upload_kept_removed AFTER UPDATE OF kept_at OR DELETE ON upload
    FOR EACH ROW WHEN (OLD.kept_at IS NOT NULL) EXECUTE FUNCTION note_ended_reel_change();
