CREATE TABLE `mail_settings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`server_id` integer NOT NULL,
	`site_id` integer,
	`setting` text NOT NULL,
	`password_sealed` text DEFAULT '' NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_settings_server` ON `mail_settings` (`server_id`) WHERE site_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `mail_settings_site` ON `mail_settings` (`site_id`) WHERE site_id is not null;