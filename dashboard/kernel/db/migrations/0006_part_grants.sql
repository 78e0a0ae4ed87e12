CREATE TABLE `part_grants` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`gives` text NOT NULL,
	`tag` text,
	`server_id` integer,
	`site_id` integer,
	`given_at` text NOT NULL,
	`mark` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `part_grants_user` ON `part_grants` (`user_id`);--> statement-breakpoint
ALTER TABLE `invitations` ADD `parts` text DEFAULT '[]' NOT NULL;