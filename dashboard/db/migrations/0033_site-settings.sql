CREATE TABLE `site_settings` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`password_sealed` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
