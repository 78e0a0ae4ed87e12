CREATE TABLE `backup_repository_servers` (
	`target_id` integer NOT NULL,
	`name` text NOT NULL,
	`server_id` integer NOT NULL,
	`keeps` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`target_id`, `name`, `server_id`)
);
--> statement-breakpoint
INSERT INTO `backup_repository_servers`("target_id", "name", "server_id") SELECT DISTINCT "target_id", "repository", "server_id" FROM `backups` WHERE "server_id" IS NOT NULL;--> statement-breakpoint
CREATE INDEX `backup_repository_servers_server` ON `backup_repository_servers` (`server_id`);--> statement-breakpoint
CREATE TABLE `__new_backup_repositories` (
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
INSERT INTO `__new_backup_repositories`("target_id", "name", "kit_id", "sealed_password", "site_id", "is_shared") SELECT "target_id", "name", "kit_id", "sealed_password", (SELECT "backups"."site_id" FROM `backups` JOIN `sites` ON "sites"."id" = "backups"."site_id" WHERE "backups"."target_id" = "backup_repositories"."target_id" AND "backups"."repository" = "backup_repositories"."name" ORDER BY "backups"."recorded_at" DESC, "backups"."id" DESC LIMIT 1), 1 FROM `backup_repositories`;--> statement-breakpoint
DROP TABLE `backup_repositories`;--> statement-breakpoint
ALTER TABLE `__new_backup_repositories` RENAME TO `backup_repositories`;--> statement-breakpoint
CREATE INDEX `backup_repositories_site` ON `backup_repositories` (`site_id`);