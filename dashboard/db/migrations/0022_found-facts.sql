ALTER TABLE `sites` ADD `closed` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sites` ADD `unknown` text DEFAULT '{}' NOT NULL;