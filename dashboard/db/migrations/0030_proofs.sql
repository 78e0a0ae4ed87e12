CREATE TABLE `backup_proofs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`backup_id` integer NOT NULL,
	`site_id` integer,
	`server_id` integer,
	`at` text NOT NULL,
	`recorded_at` text NOT NULL,
	`proven` integer NOT NULL,
	`findings` text NOT NULL,
	`rows` integer NOT NULL,
	`tables` integer NOT NULL,
	`files` integer NOT NULL,
	`bytes` integer NOT NULL,
	`pages` text NOT NULL,
	`seconds` integer NOT NULL,
	FOREIGN KEY (`backup_id`) REFERENCES `backups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `backup_proofs_backup` ON `backup_proofs` (`backup_id`);--> statement-breakpoint
CREATE INDEX `backup_proofs_site` ON `backup_proofs` (`site_id`);