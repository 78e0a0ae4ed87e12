ALTER TABLE `users` ADD `mark` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `mark` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `mark` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `server_agents` ADD `mark` text DEFAULT '' NOT NULL;