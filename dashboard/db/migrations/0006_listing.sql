DROP INDEX `operations_active`;--> statement-breakpoint
CREATE INDEX `operations_site` ON `operations` (`site_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `operations_active` ON `operations` (`status`,`finished_at`);--> statement-breakpoint
DROP INDEX `sites_server`;--> statement-breakpoint
CREATE INDEX `sites_listing` ON `sites` (`status`,`server_id`,`domain`,`user`,`php`,`tier`,`tls`,`framework`,`wp_version`,`updates_plugins`,`updates_themes`,`updates_core`,`managed`,`certificate_expires_at`,`created_at`);--> statement-breakpoint
CREATE INDEX `sites_server` ON `sites` (`server_id`,`status`);