CREATE TABLE `site_copies` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`original_id` integer NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`original_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_copies_original` ON `site_copies` (`original_id`);--> statement-breakpoint
CREATE TABLE `staging_access` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`user` text NOT NULL,
	`password_sealed` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
DROP INDEX `sites_listing`;--> statement-breakpoint
ALTER TABLE `sites` ADD `staging` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `sites_listing` ON `sites` (`status`,`server_id`,`domain`,`user`,`php`,`tier`,`tls`,`framework`,`wp_version`,`updates_plugins`,`updates_themes`,`updates_core`,`managed`,`found`,`ignored_at`,`certificate_expires_at`,`created_at`,`health`,`staging`);