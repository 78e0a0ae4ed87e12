ALTER TABLE `users` ADD `kind` text DEFAULT 'person' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `last_address` text;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `addresses` text;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `only_for` text;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `refused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `refused_at` text;