CREATE TABLE `server_jobs` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`jobs` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
