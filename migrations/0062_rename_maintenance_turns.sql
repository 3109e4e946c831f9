-- The turns at maintenance were called upkeep. Daemons of the last release use the view with the earlier name.
ALTER TABLE upkeep_turn RENAME TO maintenance_turn;

CREATE VIEW upkeep_turn AS SELECT task, holder, held_until FROM maintenance_turn;
