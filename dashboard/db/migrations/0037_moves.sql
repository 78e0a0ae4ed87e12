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
DROP INDEX `operations_one_beside_backup`;--> statement-breakpoint
CREATE UNIQUE INDEX `operations_one_beside_backup` ON `operations` (`site_id`) WHERE backup_first is not 'waits' and type not in ('cache.purge', 'pool.apply', 'site.scan', 'tls.issue', 'wp.cache-flush', 'wp.login', 'site.move', 'site.move-back', 'backup.prove') and status in ('queued', 'running');