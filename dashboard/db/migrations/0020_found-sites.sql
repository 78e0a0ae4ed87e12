DROP INDEX `sites_server`;--> statement-breakpoint
DROP INDEX `sites_listing`;--> statement-breakpoint
ALTER TABLE `sites` ADD `found` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sites` ADD `ignored_at` text;--> statement-breakpoint
UPDATE `sites` SET `found` = true WHERE `managed` = false AND `disk` IS NULL AND `status` <> 'trashed';--> statement-breakpoint
CREATE INDEX `sites_server` ON `sites` (`server_id`,`status`,`ignored_at`);--> statement-breakpoint
CREATE INDEX `sites_listing` ON `sites` (`status`,`server_id`,`domain`,`user`,`php`,`tier`,`tls`,`framework`,`wp_version`,`updates_plugins`,`updates_themes`,`updates_core`,`managed`,`found`,`ignored_at`,`certificate_expires_at`,`created_at`,`health`);