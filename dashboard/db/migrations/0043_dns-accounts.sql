CREATE TABLE `dns_accounts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`api` text NOT NULL,
	`token_sealed` text NOT NULL,
	`zones` text NOT NULL,
	`checked_at` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `dns_accounts_name_unique` ON `dns_accounts` (`name`);