CREATE TABLE `backup_rules` (
	`tag` text PRIMARY KEY NOT NULL,
	`every` text,
	`target_id` integer,
	FOREIGN KEY (`target_id`) REFERENCES `backup_targets`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
ALTER TABLE `backup_settings` ADD `exclude` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `backups` ADD `excluded` text DEFAULT '[]' NOT NULL;