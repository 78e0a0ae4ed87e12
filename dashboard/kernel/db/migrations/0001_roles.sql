CREATE TABLE `grants` (
	`user_id` integer NOT NULL,
	`gives` text NOT NULL,
	`given_at` text NOT NULL,
	`mark` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`user_id`, `gives`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
