DROP INDEX `backups_site`;--> statement-breakpoint
CREATE INDEX `backups_repository` ON `backups` (`target_id`,`repository`,`recorded_at`);--> statement-breakpoint
CREATE INDEX `backups_gone` ON `backups` (`gone_at`) WHERE gone_at is not null;--> statement-breakpoint
CREATE INDEX `backups_site` ON `backups` (`site_id`,`recorded_at`);