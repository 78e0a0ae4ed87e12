CREATE TABLE `activities` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`type` text NOT NULL,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`server_id` integer,
	`operation_id` text,
	`user_id` integer,
	`token` text,
	`address` text,
	`detail` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `activities_operation` ON `activities` (`operation_id`);--> statement-breakpoint
CREATE INDEX `activities_server` ON `activities` (`server_id`);--> statement-breakpoint
CREATE TABLE `bulk_events` (
	`bulk_id` text NOT NULL,
	`id` integer NOT NULL,
	`event` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`bulk_id`, `id`),
	FOREIGN KEY (`bulk_id`) REFERENCES `bulk_operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `bulk_items` (
	`bulk_id` text NOT NULL,
	`position` integer NOT NULL,
	`server_id` integer NOT NULL,
	`site_id` integer,
	`domain` text NOT NULL,
	`status` text NOT NULL,
	`operation_id` text,
	`error` text,
	PRIMARY KEY(`bulk_id`, `position`),
	FOREIGN KEY (`bulk_id`) REFERENCES `bulk_operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `bulk_items_status` ON `bulk_items` (`bulk_id`,`status`,`position`);--> statement-breakpoint
CREATE INDEX `bulk_items_operation` ON `bulk_items` (`operation_id`);--> statement-breakpoint
CREATE TABLE `bulk_operations` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`params` text NOT NULL,
	`status` text NOT NULL,
	`reason` text DEFAULT '' NOT NULL,
	`parallel` integer NOT NULL,
	`pause_after` integer NOT NULL,
	`actor` integer,
	`created_at` text NOT NULL,
	`finished_at` text
);
--> statement-breakpoint
CREATE INDEX `bulk_operations_active` ON `bulk_operations` (`status`);--> statement-breakpoint
CREATE INDEX `bulk_operations_created` ON `bulk_operations` (`created_at`);--> statement-breakpoint
CREATE TABLE `isolation_checks` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`checked_at` text,
	`results` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`failed_at` text,
	`reason` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `metrics_minutes` (
	`key` integer PRIMARY KEY NOT NULL,
	`cpu` integer NOT NULL,
	`ram_used` integer NOT NULL,
	`ram_total` integer NOT NULL,
	`disk_used` integer NOT NULL,
	`disk_total` integer NOT NULL,
	`load1` integer NOT NULL,
	`load5` integer NOT NULL,
	`load15` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `metrics_quarters` (
	`key` integer PRIMARY KEY NOT NULL,
	`cpu` integer NOT NULL,
	`ram_used` integer NOT NULL,
	`ram_total` integer NOT NULL,
	`disk_used` integer NOT NULL,
	`disk_total` integer NOT NULL,
	`load1` integer NOT NULL,
	`load5` integer NOT NULL,
	`load15` integer NOT NULL,
	`cpu_max` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `operation_events` (
	`operation_id` text NOT NULL,
	`id` integer NOT NULL,
	`event` text NOT NULL,
	`data` text NOT NULL,
	PRIMARY KEY(`operation_id`, `id`),
	FOREIGN KEY (`operation_id`) REFERENCES `operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operation_events_one_end` ON `operation_events` (`operation_id`) WHERE event <> 'log';--> statement-breakpoint
CREATE TABLE `operations` (
	`id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`server_id` integer NOT NULL,
	`site_id` integer,
	`domain` text NOT NULL,
	`params` text NOT NULL,
	`status` text NOT NULL,
	`error` text,
	`warnings` text DEFAULT '[]' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`actor` integer,
	`cancel` text,
	`retry_of` text,
	`own_events` integer DEFAULT 0 NOT NULL,
	`output_full` integer DEFAULT false NOT NULL,
	`backup_first` text,
	`excludes` text DEFAULT 'same_site' NOT NULL,
	`sent_at` text,
	`next_at` text,
	`deadline_at` text NOT NULL,
	`created_at` text NOT NULL,
	`started_at` text,
	`finished_at` text,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_per_site` ON `operations` (`site_id`) WHERE excludes in ('same_site', 'same_site_except_backup') and status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_beside_backup` ON `operations` (`site_id`) WHERE backup_first is not 'waits' and excludes in ('same_site', 'changes_of_site') and status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_of_type` ON `operations` (`site_id`,`type`) WHERE excludes = 'same_type' and status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_sync` ON `operations` (`server_id`) WHERE type = 'server.sync' and status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_isolation_check` ON `operations` (`server_id`) WHERE type = 'isolation.check' and status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `operations_active` ON `operations` (`status`,`finished_at`);--> statement-breakpoint
CREATE INDEX `operations_site` ON `operations` (`site_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `operations_server` ON `operations` (`server_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `operations_created` ON `operations` (`created_at`);--> statement-breakpoint
CREATE TABLE `server_maintenance` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`maintenance` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `server_versions` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`sites` integer DEFAULT 1 NOT NULL,
	`backups` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
	`metrics_at` text,
	`services` text DEFAULT '[]' NOT NULL,
	`php_versions` text DEFAULT '[]' NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text DEFAULT '' NOT NULL,
	`answered_by` integer,
	`last_sync` text,
	`imports_day` text DEFAULT '' NOT NULL,
	`imports` integer DEFAULT 0 NOT NULL,
	`imports_refused` integer DEFAULT 0 NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
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
	`database_routines` integer DEFAULT false NOT NULL,
	`xmlrpc` integer DEFAULT true NOT NULL,
	`email` text DEFAULT '' NOT NULL,
	`managed` integer NOT NULL,
	`found` integer DEFAULT false NOT NULL,
	`ignored_at` text,
	`closed` integer DEFAULT false NOT NULL,
	`unknown` text DEFAULT '{}' NOT NULL,
	`status` text NOT NULL,
	`status_reason` text DEFAULT '' NOT NULL,
	`former_status` text,
	`updates_plugins` integer,
	`updates_themes` integer,
	`updates_core` integer,
	`inventory` text,
	`last_scan` text,
	`missing_since` text,
	`certificate_expires_at` text DEFAULT '' NOT NULL,
	`trashed_at` text,
	`purge_at` text,
	`trash_size` integer,
	`disk` text,
	`disk_level` text,
	`staging` integer DEFAULT false NOT NULL,
	`health` text,
	`health_code` text DEFAULT '' NOT NULL,
	`health_reason` text DEFAULT '' NOT NULL,
	`health_since` text,
	`health_checks` text,
	`visited_at` text,
	`reported_identity` text,
	`created_at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sites_identity` ON `sites` (`domain`) WHERE reported_identity is not null;--> statement-breakpoint
CREATE INDEX `sites_disk` ON `sites` (`disk_level`) WHERE disk_level is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `sites_apex_server` ON `sites` (`apex`,`server_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `sites_managed_apex` ON `sites` (`apex`) WHERE managed = 1;--> statement-breakpoint
CREATE INDEX `sites_domain` ON `sites` (`server_id`,`domain`);--> statement-breakpoint
CREATE INDEX `sites_server` ON `sites` (`server_id`,`status`,`ignored_at`,`found`,`staging`,`managed`,`health`,`php`,`tls`,`framework`,`updates_plugins`,`updates_themes`,`updates_core`,`certificate_expires_at`,`created_at`,`apex`,`domain`);--> statement-breakpoint
CREATE INDEX `sites_visits` ON `sites` (`visited_at`) WHERE status = 'active' and found = 0;--> statement-breakpoint
CREATE INDEX `sites_broken` ON `sites` (`status`,`domain`) WHERE status in ('failed', 'missing') and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_unwell` ON `sites` (`health`,`domain`) WHERE health in ('down', 'degraded') and status = 'active' and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_expiring` ON `sites` (`certificate_expires_at`,`domain`) WHERE certificate_expires_at <> '' and tls <> 'none'
        and status in ('active', 'suspended') and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_outdated` ON `sites` ((updates_core is 1) desc,(case when updates_plugins is null then 0 else updates_plugins end + case when updates_themes is null then 0 else updates_themes end) desc,`domain`) WHERE (updates_plugins > 0 or updates_themes > 0 or updates_core > 0)
        and status = 'active' and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_in_order` ON `sites` (`domain`,`status`,`ignored_at`,`managed`,`staging`);--> statement-breakpoint
CREATE INDEX `sites_listing` ON `sites` (`status`,`server_id`,`domain`,`user`,`php`,`tier`,`tls`,`framework`,`wp_version`,`updates_plugins`,`updates_themes`,`updates_core`,`managed`,`found`,`ignored_at`,`certificate_expires_at`,`created_at`,`health`,`staging`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text NOT NULL,
	`name` text NOT NULL,
	`password_hash` text NOT NULL,
	`created_at` text NOT NULL,
	`mark` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_email_unique` ON `users` (`email`);--> statement-breakpoint
CREATE TABLE `api_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scope` text DEFAULT 'read' NOT NULL,
	`created_at` text NOT NULL,
	`expires_at` text DEFAULT '' NOT NULL,
	`last_used_at` text,
	`mark` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_hash_unique` ON `api_tokens` (`hash`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`jti` text PRIMARY KEY NOT NULL,
	`user_id` integer NOT NULL,
	`created_at` text NOT NULL,
	`renewed_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`confirmed_at` text,
	`mark` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE TABLE `enrolments` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`code_key_sealed` text NOT NULL,
	`expires_at` text NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text DEFAULT '' NOT NULL,
	`last_code` text,
	`kid` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `server_agents` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`certificate` text NOT NULL,
	`public_key` text NOT NULL,
	`enrolled_at` text NOT NULL,
	`kid` text DEFAULT '' NOT NULL,
	`mark` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key_sealed` text NOT NULL,
	`created_at` text NOT NULL,
	`until` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `signing_keys_one_current` ON `signing_keys` ((until is null)) WHERE "signing_keys"."until" is null;--> statement-breakpoint
CREATE TABLE `mail_settings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`server_id` integer NOT NULL,
	`site_id` integer,
	`setting` text NOT NULL,
	`password_sealed` text DEFAULT '' NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mail_settings_server` ON `mail_settings` (`server_id`) WHERE site_id is null;--> statement-breakpoint
CREATE UNIQUE INDEX `mail_settings_site` ON `mail_settings` (`site_id`) WHERE site_id is not null;--> statement-breakpoint
CREATE TABLE `server_mail` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`troubles` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `server_web` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`web` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `operation_steps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`operation_id` text NOT NULL,
	`after` integer NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`state` text NOT NULL,
	FOREIGN KEY (`operation_id`) REFERENCES `operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `operation_steps_operation` ON `operation_steps` (`operation_id`,`id`);--> statement-breakpoint
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
CREATE TABLE `backup_proofs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`backup_id` integer NOT NULL,
	`site_id` integer,
	`server_id` integer,
	`at` text NOT NULL,
	`recorded_at` text NOT NULL,
	`proven` integer NOT NULL,
	`findings` text NOT NULL,
	`rows` integer NOT NULL,
	`tables` integer NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	`pages` text NOT NULL,
	`seconds` integer NOT NULL,
	FOREIGN KEY (`backup_id`) REFERENCES `backups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `backup_proofs_backup` ON `backup_proofs` (`backup_id`);--> statement-breakpoint
CREATE INDEX `backup_proofs_site` ON `backup_proofs` (`site_id`);--> statement-breakpoint
CREATE TABLE `backup_restores` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`at` text NOT NULL,
	`until` text NOT NULL,
	`cause` text DEFAULT 'backup.restore' NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `backup_rules` (
	`tag` text PRIMARY KEY NOT NULL,
	`every` text,
	`target_id` integer,
	`backup_first` integer,
	`per_server` integer,
	FOREIGN KEY (`target_id`) REFERENCES `backup_targets`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE TABLE `backup_settings` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`every` text,
	`target_id` integer,
	`backup_first` integer,
	`exclude` text DEFAULT '[]' NOT NULL,
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
	`keeper_key` text,
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
	`gone_at` text,
	`excluded` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`target_id`) REFERENCES `backup_targets`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `backups_site` ON `backups` (`site_id`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `backups_repository` ON `backups` (`target_id`,`repository`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `backups_gone` ON `backups` (`gone_at`) WHERE gone_at is not null;--> statement-breakpoint
CREATE TABLE `dashboard_repositories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`place` text NOT NULL,
	`kit_id` integer NOT NULL,
	`sealed_password` text NOT NULL,
	FOREIGN KEY (`kit_id`) REFERENCES `backup_kits`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `dashboard_targets` (
	`id` integer PRIMARY KEY NOT NULL,
	`place` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`checked_at` text,
	`keeper_key` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `backup_repositories` (
	`target_id` integer NOT NULL,
	`name` text NOT NULL,
	`kit_id` integer NOT NULL,
	`sealed_password` text,
	`site_id` integer,
	`is_shared` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`target_id`, `name`),
	FOREIGN KEY (`target_id`) REFERENCES `backup_targets`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`kit_id`) REFERENCES `backup_kits`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `backup_repositories_site` ON `backup_repositories` (`site_id`);--> statement-breakpoint
CREATE TABLE `backup_repository_servers` (
	`target_id` integer NOT NULL,
	`name` text NOT NULL,
	`server_id` integer NOT NULL,
	PRIMARY KEY(`target_id`, `name`, `server_id`)
);
--> statement-breakpoint
CREATE TABLE `site_copies` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`original_id` integer NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`original_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_copies_original` ON `site_copies` (`original_id`);--> statement-breakpoint
CREATE TABLE `staging_access` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`user` text NOT NULL,
	`password_sealed` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_settings` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`settings` text NOT NULL,
	`password_sealed` text DEFAULT '' NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_names` (
	`name` text PRIMARY KEY NOT NULL,
	`apex` text NOT NULL,
	`site_id` integer NOT NULL,
	`kind` text NOT NULL,
	`position` integer DEFAULT 0 NOT NULL,
	`target` text,
	`status` integer DEFAULT 301 NOT NULL,
	`keep_path` integer DEFAULT true NOT NULL,
	`added_by` text,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_names_apex` ON `site_names` (`apex`);--> statement-breakpoint
CREATE INDEX `site_names_site` ON `site_names` (`site_id`);--> statement-breakpoint
CREATE INDEX `site_names_added` ON `site_names` (`added_by`);--> statement-breakpoint
CREATE TABLE `site_moves` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`other_id` integer NOT NULL,
	`operation_id` text NOT NULL,
	`progress` text NOT NULL,
	`certificate` text DEFAULT '' NOT NULL,
	`moved_at` text,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`other_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_moves_other` ON `site_moves` (`other_id`);--> statement-breakpoint
CREATE TABLE `server_jobs` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`jobs` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `people` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`created_at` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `people_name_unique` ON `people` (`name`);--> statement-breakpoint
CREATE TABLE `person_keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`person_id` integer NOT NULL,
	`type` text NOT NULL,
	`blob` text NOT NULL,
	`fingerprint` text NOT NULL,
	`comment` text DEFAULT '' NOT NULL,
	`created_at` text NOT NULL,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `person_keys_fingerprint_unique` ON `person_keys` (`fingerprint`);--> statement-breakpoint
CREATE INDEX `person_keys_person` ON `person_keys` (`person_id`);--> statement-breakpoint
CREATE TABLE `site_access` (
	`site_id` integer NOT NULL,
	`person_id` integer NOT NULL,
	`kind` text NOT NULL,
	`expires_at` text,
	PRIMARY KEY(`site_id`, `person_id`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`person_id`) REFERENCES `people`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `site_access_person` ON `site_access` (`person_id`);--> statement-breakpoint
CREATE TABLE `site_clients` (
	`site_id` integer NOT NULL,
	`token` text NOT NULL,
	`label` text NOT NULL,
	`expires_at` text,
	`password_hash` text NOT NULL,
	PRIMARY KEY(`site_id`, `token`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_logins` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`server_id` integer NOT NULL,
	`report` text NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_sessions` (
	`site_id` integer NOT NULL,
	`at` text NOT NULL,
	`address` text NOT NULL,
	`fingerprint` text NOT NULL,
	`client` text,
	`ended_at` text,
	PRIMARY KEY(`site_id`, `at`, `address`, `fingerprint`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `site_sessions_at` ON `site_sessions` (`at`);--> statement-breakpoint
CREATE TABLE `server_numbers` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_days` (
	`site_id` integer NOT NULL,
	`at` integer NOT NULL,
	`requests` integer NOT NULL,
	`client_errors` integer NOT NULL,
	`server_errors` integer NOT NULL,
	`cache_hits` integer NOT NULL,
	`php_requests` integer NOT NULL,
	`php_ms` integer NOT NULL,
	`slow` integer NOT NULL,
	`bytes` integer NOT NULL,
	`full` integer NOT NULL,
	`active` integer NOT NULL,
	`memory` integer NOT NULL,
	`killed` integer NOT NULL,
	`files` integer,
	`database` integer,
	`cache` integer,
	`mail` integer,
	PRIMARY KEY(`site_id`, `at`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_minutes` (
	`site_id` integer NOT NULL,
	`at` integer NOT NULL,
	`requests` integer NOT NULL,
	`client_errors` integer NOT NULL,
	`server_errors` integer NOT NULL,
	`cache_hits` integer NOT NULL,
	`php_requests` integer NOT NULL,
	`php_ms` integer NOT NULL,
	`slow` integer NOT NULL,
	`bytes` integer NOT NULL,
	`full` integer NOT NULL,
	`active` integer NOT NULL,
	`memory` integer NOT NULL,
	`killed` integer NOT NULL,
	PRIMARY KEY(`site_id`, `at`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
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
CREATE UNIQUE INDEX `dns_accounts_name_unique` ON `dns_accounts` (`name`);--> statement-breakpoint
CREATE TABLE `dns_changes` (
	`operation_id` text PRIMARY KEY NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`is_over` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`operation_id`) REFERENCES `operations`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `leases` (
	`name` text PRIMARY KEY NOT NULL,
	`holder` text NOT NULL,
	`token` integer NOT NULL,
	`expires` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`holder` text NOT NULL,
	`topic` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `revision` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `alerts` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`server_id` integer,
	`site_id` integer,
	`name` text NOT NULL,
	`reason` text NOT NULL,
	`since` text NOT NULL,
	`mailed_at` text,
	`message_id` text,
	`gone_at` text
);
--> statement-breakpoint
CREATE TABLE `lost_servers` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`declared_at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `recovered_sites` (
	`site_id` integer NOT NULL,
	`lost_id` integer NOT NULL,
	`suspended` integer NOT NULL,
	`is_open` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`site_id`, `lost_id`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`lost_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `recovered_sites_lost` ON `recovered_sites` (`lost_id`);--> statement-breakpoint
CREATE TRIGGER `servers_inserted` AFTER INSERT ON `servers` BEGIN
	INSERT OR IGNORE INTO `server_versions` (`server_id`) VALUES (new.`id`);
END;--> statement-breakpoint
CREATE TRIGGER `servers_tagged` AFTER UPDATE OF `tags` ON `servers` WHEN old.`tags` IS NOT new.`tags` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` = new.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `sites_inserted` AFTER INSERT ON `sites` BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = new.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = new.`apex` AND `server_id` <> new.`server_id`);
END;--> statement-breakpoint
CREATE TRIGGER `sites_deleted` AFTER DELETE ON `sites` BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = old.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = old.`apex` AND `server_id` <> old.`server_id`);
END;--> statement-breakpoint
CREATE TRIGGER `sites_moved` AFTER UPDATE OF `server_id`, `domain`, `apex`, `status`, `found`, `staging`, `ignored_at`, `created_at` ON `sites` WHEN (old.`server_id`, old.`domain`, old.`apex`, old.`status`, old.`found`, old.`staging`, old.`ignored_at`, old.`created_at`) IS NOT (new.`server_id`, new.`domain`, new.`apex`, new.`status`, new.`found`, new.`staging`, new.`ignored_at`, new.`created_at`) BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = old.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = new.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = old.`apex` AND `server_id` <> old.`server_id`);
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = new.`apex` AND `server_id` <> new.`server_id`);
END;--> statement-breakpoint
CREATE TRIGGER `sites_changed` AFTER UPDATE OF `php`, `tls`, `framework`, `managed`, `health`, `updates_plugins`, `updates_themes`, `updates_core`, `certificate_expires_at` ON `sites` WHEN (old.`php`, old.`tls`, old.`framework`, old.`managed`, old.`health`, old.`updates_plugins`, old.`updates_themes`, old.`updates_core`, old.`certificate_expires_at`) IS NOT (new.`php`, new.`tls`, new.`framework`, new.`managed`, new.`health`, new.`updates_plugins`, new.`updates_themes`, new.`updates_core`, new.`certificate_expires_at`) BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` = new.`server_id`;
END;--> statement-breakpoint
CREATE TRIGGER `backups_inserted` AFTER INSERT ON `backups` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (new.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backups_deleted` AFTER DELETE ON `backups` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backups_changed` AFTER UPDATE OF `site_id`, `at`, `recorded_at`, `gone_at` ON `backups` WHEN (old.`site_id`, old.`at`, old.`recorded_at`, old.`gone_at`) IS NOT (new.`site_id`, new.`at`, new.`recorded_at`, new.`gone_at`) BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`, new.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backup_proofs_inserted` AFTER INSERT ON `backup_proofs` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (new.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backup_proofs_deleted` AFTER DELETE ON `backup_proofs` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backup_proofs_changed` AFTER UPDATE OF `site_id`, `backup_id`, `proven`, `at`, `recorded_at` ON `backup_proofs` WHEN (old.`site_id`, old.`backup_id`, old.`proven`, old.`at`, old.`recorded_at`) IS NOT (new.`site_id`, new.`backup_id`, new.`proven`, new.`at`, new.`recorded_at`) BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`, new.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backup_settings_inserted` AFTER INSERT ON `backup_settings` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (new.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backup_settings_deleted` AFTER DELETE ON `backup_settings` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backup_settings_changed` AFTER UPDATE OF `every` ON `backup_settings` WHEN (old.`every`) IS NOT (new.`every`) BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`, new.`site_id`));
END;--> statement-breakpoint
CREATE TRIGGER `backup_rules_inserted` AFTER INSERT ON `backup_rules` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `backup_rules_deleted` AFTER DELETE ON `backup_rules` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `backup_rules_changed` AFTER UPDATE OF `tag`, `every` ON `backup_rules` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1;
END;
