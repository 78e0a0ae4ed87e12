CREATE TABLE `metrics_minutes` (
	`key` integer PRIMARY KEY NOT NULL,
	`cpu` integer NOT NULL,
	`ram_used` integer NOT NULL,
	`ram_total` integer NOT NULL,
	`disk_used` integer NOT NULL,
	`disk_total` integer NOT NULL,
	`load1` integer NOT NULL,
	`load5` integer NOT NULL,
	`load15` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `metrics_quarters` (
	`key` integer PRIMARY KEY NOT NULL,
	`cpu` integer NOT NULL,
	`ram_used` integer NOT NULL,
	`ram_total` integer NOT NULL,
	`disk_used` integer NOT NULL,
	`disk_total` integer NOT NULL,
	`load1` integer NOT NULL,
	`load5` integer NOT NULL,
	`load15` integer NOT NULL,
	`cpu_max` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `servers` ADD `metrics_at` text;--> statement-breakpoint
UPDATE `servers` SET `metrics_at` = `last_sync` WHERE `metrics` IS NOT NULL;