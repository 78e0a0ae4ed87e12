CREATE TABLE `restore_requests` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`backup_id` integer,
	`user_id` integer NOT NULL,
	`note` text NOT NULL,
	`requested_at` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`backup_id`) REFERENCES `backups`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
