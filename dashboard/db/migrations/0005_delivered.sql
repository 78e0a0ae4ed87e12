ALTER TABLE `operations` ADD `sent_at` text;--> statement-breakpoint
UPDATE `operations` SET `sent_at` = coalesce(`started_at`, `created_at`);--> statement-breakpoint
CREATE INDEX `bulk_items_status` ON `bulk_items` (`bulk_id`,`status`,`position`);--> statement-breakpoint
CREATE UNIQUE INDEX `operation_events_one_end` ON `operation_events` (`operation_id`) WHERE event <> 'log';