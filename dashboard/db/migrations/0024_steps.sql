CREATE TABLE `operation_steps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`operation_id` text NOT NULL,
	`after` integer NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`state` text NOT NULL,
	FOREIGN KEY (`operation_id`) REFERENCES `operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `operation_steps_operation` ON `operation_steps` (`operation_id`,`id`);