DROP INDEX `backup_repository_servers_server`;--> statement-breakpoint
ALTER TABLE `backup_repository_servers` DROP COLUMN `keeps`;