ALTER TABLE `enrolments` ADD `kid` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `server_agents` ADD `kid` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `signing_keys` ADD `until` text;--> statement-breakpoint
UPDATE `signing_keys` SET `until` = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 day') WHERE `kid` <> (SELECT `kid` FROM `signing_keys` ORDER BY `created_at` DESC, `kid` LIMIT 1);--> statement-breakpoint
UPDATE `server_agents` SET `kid` = coalesce((SELECT `kid` FROM `signing_keys` WHERE `until` IS NULL), '');--> statement-breakpoint
UPDATE `enrolments` SET `kid` = coalesce((SELECT `kid` FROM `signing_keys` WHERE `until` IS NULL), '');--> statement-breakpoint
CREATE UNIQUE INDEX `signing_keys_one_current` ON `signing_keys` ((until is null)) WHERE "signing_keys"."until" is null;
