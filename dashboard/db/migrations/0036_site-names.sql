CREATE TABLE `site_names` (
	`name` text PRIMARY KEY NOT NULL,
	`apex` text NOT NULL,
	`site_id` integer NOT NULL,
	`kind` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`target` text,
	`status` integer DEFAULT 301 NOT NULL,
	`keep_path` integer DEFAULT true NOT NULL,
	`added_by` text,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_names_apex` ON `site_names` (`apex`);--> statement-breakpoint
CREATE INDEX `site_names_site` ON `site_names` (`site_id`);--> statement-breakpoint
CREATE INDEX `site_names_added` ON `site_names` (`added_by`);