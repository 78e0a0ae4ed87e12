ALTER TABLE `operations` ADD `output_full` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `enrolments` ADD `last_code` text;