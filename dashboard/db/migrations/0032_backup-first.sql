DROP INDEX `operations_one_beside_backup`;--> statement-breakpoint
ALTER TABLE `operations` ADD `backup_first` text;--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_beside_backup` ON `operations` (`site_id`) WHERE backup_first is not 'waits' and type not in ('cache.purge', 'pool.apply', 'site.scan', 'tls.issue', 'wp.cache-flush', 'backup.prove') and status in ('queued', 'running');--> statement-breakpoint
ALTER TABLE `backup_rules` ADD `backup_first` integer;--> statement-breakpoint
ALTER TABLE `backup_settings` ADD `backup_first` integer;