CREATE TABLE `site_clients` (
	`site_id` integer NOT NULL,
	`token` text NOT NULL,
	`label` text NOT NULL,
	`expires_at` text,
	`password_hash` text NOT NULL,
	PRIMARY KEY(`site_id`, `token`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `site_sessions` ADD `client` text;