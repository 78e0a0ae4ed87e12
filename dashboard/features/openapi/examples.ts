import { ACCESS_EXAMPLES } from '#dashboard/features/access/examples.ts'
import { NOTIFICATION_EXAMPLES } from '#dashboard/features/alerts/examples.ts'
import { BACKUP_EXAMPLES } from '#dashboard/features/backups/examples.ts'
import { OFF_SITE_EXAMPLES } from '#dashboard/features/backups/off-site/examples.ts'
import { CLIENT_EXAMPLES } from '#dashboard/features/clients/examples.ts'
import { COPY_EXAMPLES } from '#dashboard/features/copies/examples.ts'
import { SITE_DATABASE_EXAMPLES } from '#dashboard/features/database/examples.ts'
import { DNS_EXAMPLES } from '#dashboard/features/domains/dns/examples.ts'
import { DOMAIN_EXAMPLES } from '#dashboard/features/domains/examples.ts'
import { SITE_JOB_EXAMPLES } from '#dashboard/features/jobs/examples.ts'
import { LOG_EXAMPLES } from '#dashboard/features/logs/examples.ts'
import { MAIL_EXAMPLES } from '#dashboard/features/mail/examples.ts'
import { METRICS_EXAMPLES } from '#dashboard/features/metrics/examples.ts'
import { NUMBERS_EXAMPLES } from '#dashboard/features/metrics/numbers/examples.ts'
import { MOVE_EXAMPLES } from '#dashboard/features/moves/examples.ts'
import { OBJECT_CACHE_EXAMPLES } from '#dashboard/features/object-cache/examples.ts'
import { FLEET_EXAMPLES } from '#dashboard/features/overview/examples.ts'
import { RESTORED_EXAMPLES } from '#dashboard/features/recovery/examples.ts'
import { LOST_EXAMPLES } from '#dashboard/features/recovery/lost/examples.ts'
import { REPORT_EXAMPLES } from '#dashboard/features/reports/examples.ts'
import { SERVER_EXAMPLES } from '#dashboard/features/servers/examples.ts'
import { MAINTENANCE_EXAMPLES } from '#dashboard/features/servers/maintenance/examples.ts'
import { WEB_EXAMPLES } from '#dashboard/features/servers/web-examples.ts'
import { SETTING_EXAMPLES } from '#dashboard/features/settings/examples.ts'
import { SITE_EXAMPLES } from '#dashboard/features/sites/examples.ts'
import { SITE_SETTINGS_EXAMPLES } from '#dashboard/features/sites/settings/examples.ts'
import { LOGIN_EXAMPLES } from '#dashboard/features/wordpress/examples.ts'
import { ACTIVITY_EXAMPLES } from '#dashboard/kernel/activity/examples.ts'
import { AUTH_EXAMPLES } from '#dashboard/kernel/auth/examples.ts'
import { BULK_EXAMPLES } from '#dashboard/kernel/bulk/examples.ts'
import { OPERATION_EXAMPLES } from '#dashboard/kernel/engine/examples.ts'
import { TRUST_EXAMPLES } from '#dashboard/kernel/trust/examples.ts'

/** The examples of components; one without an example is made of those of its parts. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...ACCESS_EXAMPLES,
  ...ACTIVITY_EXAMPLES,
  ...AUTH_EXAMPLES,
  ...NOTIFICATION_EXAMPLES,
  ...BULK_EXAMPLES,
  ...BACKUP_EXAMPLES,
  ...CLIENT_EXAMPLES,
  ...COPY_EXAMPLES,
  ...SITE_SETTINGS_EXAMPLES,
  ...SITE_JOB_EXAMPLES,
  ...SITE_DATABASE_EXAMPLES,
  ...DOMAIN_EXAMPLES,
  ...DNS_EXAMPLES,
  ...MOVE_EXAMPLES,
  ...LOG_EXAMPLES,
  ...LOST_EXAMPLES,
  ...MAIL_EXAMPLES,
  ...METRICS_EXAMPLES,
  ...NUMBERS_EXAMPLES,
  ...OPERATION_EXAMPLES,
  ...REPORT_EXAMPLES,
  ...FLEET_EXAMPLES,
  ...SERVER_EXAMPLES,
  ...MAINTENANCE_EXAMPLES,
  ...WEB_EXAMPLES,
  ...OFF_SITE_EXAMPLES,
  ...RESTORED_EXAMPLES,
  ...SETTING_EXAMPLES,
  ...SITE_EXAMPLES,
  ...LOGIN_EXAMPLES,
  ...OBJECT_CACHE_EXAMPLES,
  ...TRUST_EXAMPLES,
}
