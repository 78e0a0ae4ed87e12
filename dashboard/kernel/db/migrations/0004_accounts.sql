CREATE TABLE `invitations` (
	`person_id` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`secrets` integer NOT NULL,
	`invited_by` integer NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`mark` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`invited_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash_unique` ON `invitations` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_email_unique` ON `invitations` (`email`);--> statement-breakpoint
ALTER TABLE `users` ADD `deactivated_at` text;--> statement-breakpoint
ALTER TABLE `users` ADD `last_login_at` text;--> statement-breakpoint
ALTER TABLE `people` ADD `user_id` integer REFERENCES users(id);--> statement-breakpoint
ALTER TABLE `people` ADD `access_ended_at` text;--> statement-breakpoint
CREATE UNIQUE INDEX `people_user_id_unique` ON `people` (`user_id`);--> statement-breakpoint
ALTER TABLE `site_access` ADD `granted_at` text;