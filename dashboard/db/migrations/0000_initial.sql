CREATE TABLE `activities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`server_id` integer,
	`operation_id` text,
	`user_id` integer,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `activities_operation` ON `activities` (`operation_id`);--> statement-breakpoint
CREATE INDEX `activities_server` ON `activities` (`server_id`);--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_hash_unique` ON `api_tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `operation_events` (
	`operation_id` text NOT NULL,
	`id` integer NOT NULL,
	`event` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`operation_id`, `id`),
	FOREIGN KEY (`operation_id`) REFERENCES `operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `operations` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`server_id` integer NOT NULL,
	`site_id` integer,
	`domain` text NOT NULL,
	`params` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`actor` integer,
	`next_at` text,
	`deadline_at` text NOT NULL,
	`created_at` text NOT NULL,
	`started_at` text,
	`finished_at` text,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_per_site` ON `operations` (`site_id`) WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_sync` ON `operations` (`server_id`) WHERE type = 'server.sync' and status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `operations_active` ON `operations` (`status`);--> statement-breakpoint
CREATE INDEX `operations_server` ON `operations` (`server_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `operations_created` ON `operations` (`created_at`);--> statement-breakpoint
CREATE TABLE `servers` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`hostname` text NOT NULL,
	`port` integer NOT NULL,
	`user` text NOT NULL,
	`tags` text NOT NULL,
	`status` text DEFAULT 'pending' NOT NULL,
	`os` text DEFAULT '' NOT NULL,
	`version` text DEFAULT '' NOT NULL,
	`metrics` text,
	`services` text DEFAULT '[]' NOT NULL,
	`php_versions` text DEFAULT '[]' NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text DEFAULT '' NOT NULL,
	`last_sync` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`jti` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` text NOT NULL,
	`renewed_at` text NOT NULL,
	`expires_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `settings` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sites` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`server_id` integer NOT NULL,
	`domain` text NOT NULL,
	`apex` text NOT NULL,
	`user` text NOT NULL,
	`docroot` text DEFAULT '' NOT NULL,
	`php` text NOT NULL,
	`tier` text NOT NULL,
	`tls` text NOT NULL,
	`framework` text DEFAULT 'unknown' NOT NULL,
	`wp_version` text DEFAULT '' NOT NULL,
	`db_name` text DEFAULT '' NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`managed` integer NOT NULL,
	`status` text NOT NULL,
	`status_reason` text DEFAULT '' NOT NULL,
	`former_status` text,
	`updates_plugins` integer,
	`updates_themes` integer,
	`updates_core` integer,
	`inventory` text,
	`last_scan` text,
	`certificate_expires_at` text DEFAULT '' NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sites_domain_unique` ON `sites` (`domain`);--> statement-breakpoint
CREATE UNIQUE INDEX `sites_apex_unique` ON `sites` (`apex`);--> statement-breakpoint
CREATE INDEX `sites_server` ON `sites` (`server_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);