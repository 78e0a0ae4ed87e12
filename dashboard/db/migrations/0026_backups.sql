CREATE TABLE `backup_kits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`recovery_key` text NOT NULL,
	`dashboard_key` text NOT NULL,
	`dashboard_key_sealed` text NOT NULL,
	`challenge_hash` text NOT NULL,
	`created_at` text NOT NULL,
	`confirmed_at` text
);
--> statement-breakpoint
CREATE TABLE `backup_repositories` (
	`target_id` integer NOT NULL,
	`name` text NOT NULL,
	`kit_id` integer NOT NULL,
	`sealed_password` text NOT NULL,
	PRIMARY KEY(`target_id`, `name`),
	FOREIGN KEY (`target_id`) REFERENCES `backup_targets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`kit_id`) REFERENCES `backup_kits`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `backup_restores` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`at` text NOT NULL,
	`until` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `backup_settings` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`every` text,
	`target_id` integer,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`target_id`) REFERENCES `backup_targets`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `backup_targets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`place` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`checked_at` text,
	`append_only` integer,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `backup_targets_name_unique` ON `backup_targets` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `backup_targets_one_default` ON `backup_targets` ((is_default)) WHERE "backup_targets"."is_default" = 1;--> statement-breakpoint
CREATE TABLE `backups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`site_id` integer,
	`server_id` integer,
	`domain` text NOT NULL,
	`target_id` integer NOT NULL,
	`repository` text NOT NULL,
	`snapshot` text NOT NULL,
	`at` text NOT NULL,
	`recorded_at` text NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	`stored` integer NOT NULL,
	`tables` integer NOT NULL,
	`seconds` integer NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`target_id`) REFERENCES `backup_targets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `backups_site` ON `backups` (`site_id`);