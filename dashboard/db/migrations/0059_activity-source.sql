ALTER TABLE `activities` ADD `token` text;--> statement-breakpoint
ALTER TABLE `activities` ADD `address` text;