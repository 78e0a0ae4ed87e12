CREATE TABLE `lost_servers` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`declared_at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `recovered_sites` (
	`site_id` integer NOT NULL,
	`lost_id` integer NOT NULL,
	`suspended` integer NOT NULL,
	`is_open` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`site_id`, `lost_id`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`lost_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `recovered_sites_lost` ON `recovered_sites` (`lost_id`);