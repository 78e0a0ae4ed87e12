CREATE TABLE `identities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`user_id` integer NOT NULL,
	`label` text NOT NULL,
	`linked_at` text NOT NULL,
	`mark` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`issuer`,`subject`);--> statement-breakpoint
CREATE INDEX `identities_user` ON `identities` (`user_id`);--> statement-breakpoint
CREATE TABLE `identity_providers` (
	`key` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`scope` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`own_factor` integer NOT NULL,
	`claim` text NOT NULL,
	`roles` text NOT NULL,
	`created_at` text NOT NULL,
	`mark` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identity_providers_name_unique` ON `identity_providers` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `identity_providers_issuer_unique` ON `identity_providers` (`issuer`);--> statement-breakpoint
CREATE TABLE `sso_flows` (
	`hash` text PRIMARY KEY NOT NULL,
	`browser_hash` text NOT NULL,
	`provider` text NOT NULL,
	`purpose` text NOT NULL,
	`user_id` integer NOT NULL,
	`jti` text NOT NULL,
	`invitation_hash` text NOT NULL,
	`return_to` text NOT NULL,
	`checks_sealed` text NOT NULL,
	`expires_at` text NOT NULL,
	`mark` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
ALTER TABLE `users` ADD `managed_by` text DEFAULT '' NOT NULL;