CREATE TABLE `enrolments` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`code_key_sealed` text NOT NULL,
	`expires_at` text NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `server_agents` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`certificate` text NOT NULL,
	`public_key` text NOT NULL,
	`enrolled_at` text NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`kid` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key_sealed` text NOT NULL,
	`created_at` text NOT NULL
);
