CREATE TABLE `dns_changes` (
	`operation_id` text PRIMARY KEY NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`is_over` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`operation_id`) REFERENCES `operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `activities` ADD `detail` text;