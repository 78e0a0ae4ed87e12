ALTER TABLE `backup_targets` ADD `keeper_key` text;--> statement-breakpoint
ALTER TABLE `backups` ADD `gone_at` text;