CREATE TABLE `activity_heads` (
	`generation` integer PRIMARY KEY NOT NULL,
	`note` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `activity_links` (
	`seq` integer PRIMARY KEY NOT NULL,
	`activity_id` integer NOT NULL,
	`status` text NOT NULL,
	`hash` text NOT NULL,
	`open` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `activity_links_open` ON `activity_links` (`activity_id`) WHERE open = 1;--> statement-breakpoint
ALTER TABLE `activities` ADD `via` text DEFAULT 'system' NOT NULL;--> statement-breakpoint
UPDATE `activities` SET `via` = CASE WHEN `token` IS NULL THEN 'session' ELSE 'token' END WHERE `token` IS NOT NULL OR `address` IS NOT NULL;
