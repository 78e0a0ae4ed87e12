ALTER TABLE `api_tokens` ADD `scope` text DEFAULT 'read' NOT NULL;--> statement-breakpoint
ALTER TABLE `api_tokens` ADD `expires_at` text DEFAULT '' NOT NULL;--> statement-breakpoint
UPDATE `api_tokens` SET `scope` = 'admin', `expires_at` = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+90 days');
