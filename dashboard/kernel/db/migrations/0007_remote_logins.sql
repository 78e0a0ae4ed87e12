CREATE TABLE `token_addresses` (
	`token_id` integer NOT NULL,
	`address` text NOT NULL,
	`first_at` text NOT NULL,
	PRIMARY KEY(`token_id`, `address`),
	FOREIGN KEY (`token_id`) REFERENCES `api_tokens`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `login_lists` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`list` text NOT NULL,
	`newest` integer NOT NULL,
	`refused_until` text NOT NULL,
	`revision` integer NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `site_sessions` ADD `kind` text;