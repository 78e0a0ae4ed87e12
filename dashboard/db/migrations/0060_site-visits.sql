ALTER TABLE `sites` ADD `visited_at` text;--> statement-breakpoint
CREATE INDEX `sites_visits` ON `sites` (`visited_at`) WHERE status = 'active' and found = 0;