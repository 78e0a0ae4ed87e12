CREATE TABLE `branding` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text DEFAULT '' NOT NULL,
	`color` text NOT NULL,
	`reply_to` text DEFAULT '' NOT NULL,
	`closing` text DEFAULT '' NOT NULL,
	`logo` text,
	`logo_type` text
);
--> statement-breakpoint
CREATE TABLE `report_mails` (
	`site_id` integer NOT NULL,
	`month` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`at` text NOT NULL,
	`recipients` text NOT NULL,
	`refused` text NOT NULL,
	`answer` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`site_id`, `month`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `report_settings` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`enabled` integer NOT NULL,
	`enabled_at` text,
	`recipients` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_states` (
	`site_id` integer NOT NULL,
	`at` text NOT NULL,
	`state` text NOT NULL,
	PRIMARY KEY(`site_id`, `at`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_versions` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`since` text NOT NULL,
	`core` text NOT NULL,
	`plugins` text NOT NULL,
	`themes` text NOT NULL,
	`scanned_at` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `version_changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` integer NOT NULL,
	`at` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`from` text NOT NULL,
	`to` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `version_changes_site` ON `version_changes` (`site_id`,`at`);--> statement-breakpoint
ALTER TABLE `site_days` ADD `refused` integer;