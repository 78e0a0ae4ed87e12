CREATE TABLE `server_versions` (
	`server_id` integer PRIMARY KEY NOT NULL,
	`sites` integer DEFAULT 1 NOT NULL,
	`backups` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`server_id`) REFERENCES `servers`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
DROP INDEX `sites_server`;--> statement-breakpoint
CREATE INDEX `sites_broken` ON `sites` (`status`,`domain`) WHERE status in ('failed', 'missing') and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_unwell` ON `sites` (`health`,`domain`) WHERE health in ('down', 'degraded') and status = 'active' and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_expiring` ON `sites` (`certificate_expires_at`,`domain`) WHERE certificate_expires_at <> '' and tls <> 'none'
        and status in ('active', 'suspended') and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_outdated` ON `sites` ((updates_core is 1) desc,(case when updates_plugins is null then 0 else updates_plugins end + case when updates_themes is null then 0 else updates_themes end) desc,`domain`) WHERE (updates_plugins > 0 or updates_themes > 0 or updates_core > 0)
        and status = 'active' and ignored_at is null;--> statement-breakpoint
CREATE INDEX `sites_server` ON `sites` (`server_id`,`status`,`ignored_at`,`found`,`staging`,`managed`,`health`,`php`,`tls`,`framework`,`updates_plugins`,`updates_themes`,`updates_core`,`certificate_expires_at`,`created_at`,`apex`,`domain`);--> statement-breakpoint
INSERT INTO `server_versions` (`server_id`) SELECT `id` FROM `servers`;
--> statement-breakpoint
CREATE TRIGGER `servers_inserted` AFTER INSERT ON `servers` BEGIN
	INSERT OR IGNORE INTO `server_versions` (`server_id`) VALUES (new.`id`);
END;
--> statement-breakpoint
CREATE TRIGGER `servers_tagged` AFTER UPDATE OF `tags` ON `servers` WHEN old.`tags` IS NOT new.`tags` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` = new.`id`;
END;
--> statement-breakpoint
CREATE TRIGGER `sites_inserted` AFTER INSERT ON `sites` BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = new.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = new.`apex` AND `server_id` <> new.`server_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `sites_deleted` AFTER DELETE ON `sites` BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = old.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = old.`apex` AND `server_id` <> old.`server_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `sites_moved` AFTER UPDATE OF `server_id`, `domain`, `apex`, `status`, `found`, `staging`, `ignored_at`, `created_at` ON `sites` WHEN (old.`server_id`, old.`domain`, old.`apex`, old.`status`, old.`found`, old.`staging`, old.`ignored_at`, old.`created_at`) IS NOT (new.`server_id`, new.`domain`, new.`apex`, new.`status`, new.`found`, new.`staging`, new.`ignored_at`, new.`created_at`) BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = old.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1, `backups` = `backups` + 1 WHERE `server_id` = new.`server_id`;
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = old.`apex` AND `server_id` <> old.`server_id`);
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `apex` = new.`apex` AND `server_id` <> new.`server_id`);
END;
--> statement-breakpoint
CREATE TRIGGER `sites_changed` AFTER UPDATE OF `php`, `tls`, `framework`, `managed`, `health`, `updates_plugins`, `updates_themes`, `updates_core`, `certificate_expires_at` ON `sites` WHEN (old.`php`, old.`tls`, old.`framework`, old.`managed`, old.`health`, old.`updates_plugins`, old.`updates_themes`, old.`updates_core`, old.`certificate_expires_at`) IS NOT (new.`php`, new.`tls`, new.`framework`, new.`managed`, new.`health`, new.`updates_plugins`, new.`updates_themes`, new.`updates_core`, new.`certificate_expires_at`) BEGIN
	UPDATE `server_versions` SET `sites` = `sites` + 1 WHERE `server_id` = new.`server_id`;
END;
--> statement-breakpoint
CREATE TRIGGER `backups_inserted` AFTER INSERT ON `backups` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (new.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backups_deleted` AFTER DELETE ON `backups` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backups_changed` AFTER UPDATE OF `site_id`, `at`, `recorded_at`, `gone_at` ON `backups` WHEN (old.`site_id`, old.`at`, old.`recorded_at`, old.`gone_at`) IS NOT (new.`site_id`, new.`at`, new.`recorded_at`, new.`gone_at`) BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`, new.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backup_proofs_inserted` AFTER INSERT ON `backup_proofs` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (new.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backup_proofs_deleted` AFTER DELETE ON `backup_proofs` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backup_proofs_changed` AFTER UPDATE OF `site_id`, `backup_id`, `proven`, `at`, `recorded_at` ON `backup_proofs` WHEN (old.`site_id`, old.`backup_id`, old.`proven`, old.`at`, old.`recorded_at`) IS NOT (new.`site_id`, new.`backup_id`, new.`proven`, new.`at`, new.`recorded_at`) BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`, new.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backup_settings_inserted` AFTER INSERT ON `backup_settings` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (new.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backup_settings_deleted` AFTER DELETE ON `backup_settings` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backup_settings_changed` AFTER UPDATE OF `every` ON `backup_settings` WHEN (old.`every`) IS NOT (new.`every`) BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1 WHERE `server_id` IN (SELECT `server_id` FROM `sites` WHERE `id` IN (old.`site_id`, new.`site_id`));
END;
--> statement-breakpoint
CREATE TRIGGER `backup_rules_inserted` AFTER INSERT ON `backup_rules` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `backup_rules_deleted` AFTER DELETE ON `backup_rules` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `backup_rules_changed` AFTER UPDATE OF `tag`, `every` ON `backup_rules` BEGIN
	UPDATE `server_versions` SET `backups` = `backups` + 1;
END;
