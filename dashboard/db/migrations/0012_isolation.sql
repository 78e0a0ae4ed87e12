CREATE TABLE `isolation_checks` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`checked_at` text,
	`results` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`failed_at` text,
	`reason` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_isolation_check` ON `operations` (`server_id`) WHERE type = 'isolation.check' and status in ('queued', 'running');