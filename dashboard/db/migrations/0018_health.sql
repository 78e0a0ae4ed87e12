DROP INDEX `sites_listing`;--> statement-breakpoint
ALTER TABLE `sites` ADD `health` text;--> statement-breakpoint
ALTER TABLE `sites` ADD `health_code` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sites` ADD `health_reason` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sites` ADD `health_since` text;--> statement-breakpoint
ALTER TABLE `sites` ADD `health_checks` text;--> statement-breakpoint
CREATE INDEX `sites_listing` ON `sites` (`status`,`server_id`,`domain`,`user`,`php`,`tier`,`tls`,`framework`,`wp_version`,`updates_plugins`,`updates_themes`,`updates_core`,`managed`,`certificate_expires_at`,`created_at`,`health`);--> statement-breakpoint
ALTER TABLE `operations` ADD `warnings` text DEFAULT '[]' NOT NULL;