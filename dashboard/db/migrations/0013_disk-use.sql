ALTER TABLE `sites` ADD `disk` text;--> statement-breakpoint
ALTER TABLE `sites` ADD `disk_level` text;--> statement-breakpoint
CREATE INDEX `sites_disk` ON `sites` (`disk_level`) WHERE disk_level is not null;