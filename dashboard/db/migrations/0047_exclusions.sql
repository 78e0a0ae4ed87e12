DROP INDEX `operations_one_proof`;--> statement-breakpoint
DROP INDEX `operations_one_per_site`;--> statement-breakpoint
DROP INDEX `operations_one_beside_backup`;--> statement-breakpoint
ALTER TABLE `operations` ADD `excludes` text DEFAULT 'same_site' NOT NULL;--> statement-breakpoint
UPDATE `operations` SET `excludes` = CASE
	WHEN type = 'backup.create' THEN 'changes_of_site'
	WHEN type in ('backup.check', 'backup.prove', 'isolation.check', 'server.sync') THEN 'same_type'
	WHEN type = 'agent.upgrade' THEN 'all_of_server'
	WHEN type in ('database.user-end', 'server.provision', 'server.update', 'service.restart', 'updates.configure') THEN 'nothing'
	ELSE 'same_site_except_backup' END
WHERE type in ('agent.upgrade', 'backup.check', 'backup.create', 'backup.prove', 'cache.purge', 'database.user', 'database.user-end', 'isolation.check', 'pool.apply', 'server.provision', 'server.sync', 'server.update', 'service.restart', 'site.move', 'site.move-back', 'site.scan', 'tls.issue', 'updates.configure', 'wp.cache-flush', 'wp.login');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_of_type` ON `operations` (`site_id`,`type`) WHERE excludes = 'same_type' and status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_per_site` ON `operations` (`site_id`) WHERE excludes in ('same_site', 'same_site_except_backup') and status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_beside_backup` ON `operations` (`site_id`) WHERE backup_first is not 'waits' and excludes in ('same_site', 'changes_of_site') and status in ('queued', 'running');