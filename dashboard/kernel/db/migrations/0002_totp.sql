CREATE TABLE `user_factors` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`secret_sealed` text DEFAULT '' NOT NULL,
	`created_at` text NOT NULL,
	`confirmed_at` text,
	`last_step` integer DEFAULT 0 NOT NULL,
	`recovery_codes` text DEFAULT '' NOT NULL,
	`reset_at` text,
	`mark` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `user_factors_user` ON `user_factors` (`user_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `factor_id` text DEFAULT '' NOT NULL;