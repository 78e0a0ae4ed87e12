CREATE TABLE `server_numbers` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_days` (
	`site_id` integer NOT NULL,
	`at` integer NOT NULL,
	`requests` integer NOT NULL,
	`client_errors` integer NOT NULL,
	`server_errors` integer NOT NULL,
	`cache_hits` integer NOT NULL,
	`php_requests` integer NOT NULL,
	`php_ms` integer NOT NULL,
	`slow` integer NOT NULL,
	`bytes` integer NOT NULL,
	`full` integer NOT NULL,
	`active` integer NOT NULL,
	`memory` integer NOT NULL,
	`killed` integer NOT NULL,
	`files` integer,
	`database` integer,
	`cache` integer,
	`mail` integer,
	PRIMARY KEY(`site_id`, `at`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `site_minutes` (
	`site_id` integer NOT NULL,
	`at` integer NOT NULL,
	`requests` integer NOT NULL,
	`client_errors` integer NOT NULL,
	`server_errors` integer NOT NULL,
	`cache_hits` integer NOT NULL,
	`php_requests` integer NOT NULL,
	`php_ms` integer NOT NULL,
	`slow` integer NOT NULL,
	`bytes` integer NOT NULL,
	`full` integer NOT NULL,
	`active` integer NOT NULL,
	`memory` integer NOT NULL,
	`killed` integer NOT NULL,
	PRIMARY KEY(`site_id`, `at`),
	FOREIGN KEY (`site_id`) REFERENCES `sites`(`id`) ON UPDATE no action ON DELETE cascade
);
