CREATE TABLE `bulk_events` (
	`bulk_id` text NOT NULL,
	`id` integer NOT NULL,
	`event` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`bulk_id`, `id`),
	FOREIGN KEY (`bulk_id`) REFERENCES `bulk_operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `bulk_items` (
	`bulk_id` text NOT NULL,
	`position` integer NOT NULL,
	`server_id` integer NOT NULL,
	`site_id` integer,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`operation_id` text,
	`error` text,
	PRIMARY KEY(`bulk_id`, `position`),
	FOREIGN KEY (`bulk_id`) REFERENCES `bulk_operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `bulk_items_operation` ON `bulk_items` (`operation_id`);--> statement-breakpoint
CREATE TABLE `bulk_operations` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`params` text NOT NULL,
	`status` text NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`parallel` integer NOT NULL,
	`pause_after` integer NOT NULL,
	`actor` integer,
	`created_at` text NOT NULL,
	`finished_at` text
);
--> statement-breakpoint
CREATE INDEX `bulk_operations_active` ON `bulk_operations` (`status`);--> statement-breakpoint
CREATE INDEX `bulk_operations_created` ON `bulk_operations` (`created_at`);--> statement-breakpoint
ALTER TABLE `operations` ADD `cancel` text;--> statement-breakpoint
ALTER TABLE `operations` ADD `retry_of` text;--> statement-breakpoint
ALTER TABLE `sites` ADD `trashed_at` text;--> statement-breakpoint
ALTER TABLE `sites` ADD `purge_at` text;