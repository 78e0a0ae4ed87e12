CREATE TABLE `server_web` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`web` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
