UPDATE `activities` SET `status` = 'cancelled' WHERE `status` = 'failed' AND (
  `operation_id` IN (SELECT `id` FROM `operations` WHERE `status` = 'cancelled')
  OR `operation_id` IN (SELECT `id` FROM `bulk_operations` WHERE `status` = 'cancelled'));
--> statement-breakpoint
UPDATE `sites` SET `status` = 'cancelled' WHERE `status` = 'failed' AND (
  SELECT `operations`.`status` FROM `operations`
  WHERE `operations`.`site_id` = `sites`.`id` AND `operations`.`type` = 'site.create'
  ORDER BY `operations`.`created_at` DESC LIMIT 1) = 'cancelled';
