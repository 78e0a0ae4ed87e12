CREATE TABLE `people` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `people_name_unique` ON `people` (`name`);--> statement-breakpoint
CREATE TABLE `person_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`person_id` integer NOT NULL,
	`type` text NOT NULL,
	`blob` text NOT NULL,
	`fingerprint` text NOT NULL,
	`comment` text DEFAULT '' NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `person_keys_fingerprint_unique` ON `person_keys` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `person_keys_person` ON `person_keys` (`person_id`);--> statement-breakpoint
CREATE TABLE `site_access` (
	`site_id` integer NOT NULL,
	`person_id` integer NOT NULL,
	`kind` text NOT NULL,
	`expires_at` text,
	PRIMARY KEY(`site_id`, `person_id`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `site_access_person` ON `site_access` (`person_id`);--> statement-breakpoint
CREATE TABLE `site_logins` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`server_id` integer NOT NULL,
	`report` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_sessions` (
	`site_id` integer NOT NULL,
	`at` text NOT NULL,
	`address` text NOT NULL,
	`fingerprint` text NOT NULL,
	PRIMARY KEY(`site_id`, `at`, `address`, `fingerprint`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_sessions_at` ON `site_sessions` (`at`);