DROP INDEX `sites_domain_unique`;--> statement-breakpoint
DROP INDEX `sites_apex_unique`;--> statement-breakpoint
ALTER TABLE `sites` ADD `missing_since` text;--> statement-breakpoint
CREATE UNIQUE INDEX `sites_apex_server` ON `sites` (`apex`,`server_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sites_managed_apex` ON `sites` (`apex`) WHERE managed = 1;--> statement-breakpoint
CREATE INDEX `sites_domain` ON `sites` (`server_id`,`domain`);--> statement-breakpoint
ALTER TABLE `servers` ADD `imports_day` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `servers` ADD `imports` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `servers` ADD `imports_refused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `sites` SET `missing_since` = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE `status` = 'missing';