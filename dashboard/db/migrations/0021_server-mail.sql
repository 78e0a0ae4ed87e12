CREATE TABLE `server_mail` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`troubles` text NOT NULL,
	`at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
