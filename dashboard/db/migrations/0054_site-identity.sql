ALTER TABLE `sites` ADD `reported_identity` text;--> statement-breakpoint
CREATE INDEX `sites_identity` ON `sites` (`domain`) WHERE reported_identity is not null;