CREATE TABLE `dashboard_repositories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`place` text NOT NULL,
	`kit_id` integer NOT NULL,
	`sealed_password` text NOT NULL,
	`is_former` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`kit_id`) REFERENCES `backup_kits`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `dashboard_targets` (
	`id` integer PRIMARY KEY NOT NULL,
	`place` text NOT NULL,
	`secret_sealed` text NOT NULL,
	`checked_at` text,
	`keeper_key` text,
	`created_at` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `dashboard_repositories` (`place`, `kit_id`, `sealed_password`, `is_former`)
SELECT `backup_targets`.`place`, `backup_repositories`.`kit_id`, `backup_repositories`.`sealed_password`, 1
FROM `backup_repositories` JOIN `backup_targets` ON `backup_targets`.`id` = `backup_repositories`.`target_id`
WHERE `backup_repositories`.`name` = 'hosting-dashboard' ORDER BY `backup_targets`.`id`;
--> statement-breakpoint
DELETE FROM `backup_repositories` WHERE `name` = 'hosting-dashboard';
--> statement-breakpoint
DELETE FROM `settings` WHERE `key` IN ('off_site_backup', 'off_site_request');
