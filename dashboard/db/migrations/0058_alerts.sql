CREATE TABLE `alerts` (
	`key` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`server_id` integer,
	`site_id` integer,
	`name` text NOT NULL,
	`reason` text NOT NULL,
	`since` text NOT NULL,
	`mailed_at` text,
	`message_id` text,
	`gone_at` text
);
