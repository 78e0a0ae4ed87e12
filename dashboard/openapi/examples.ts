import { ACCESS_EXAMPLES } from '#dashboard/access/examples.ts'
import { ACTIVITY_EXAMPLES } from '#dashboard/activity/examples.ts'
import { NOTIFICATION_EXAMPLES } from '#dashboard/alerts/examples.ts'
import { AUTH_EXAMPLES } from '#dashboard/auth/examples.ts'
import { BULK_EXAMPLES } from '#dashboard/bulk/examples.ts'
import { COPY_EXAMPLES } from '#dashboard/copies/examples.ts'
import { DNS_EXAMPLES } from '#dashboard/dns/examples.ts'
import { DOMAIN_EXAMPLES } from '#dashboard/domains/examples.ts'
import { LOG_EXAMPLES } from '#dashboard/logs/examples.ts'
import { LOST_EXAMPLES } from '#dashboard/lost/examples.ts'
import { MAIL_EXAMPLES } from '#dashboard/mail/examples.ts'
import { METRICS_EXAMPLES } from '#dashboard/metrics/examples.ts'
import { MOVE_EXAMPLES } from '#dashboard/moves/examples.ts'
import { NUMBERS_EXAMPLES } from '#dashboard/numbers/examples.ts'
import { OBJECT_CACHE_EXAMPLES } from '#dashboard/object-cache/examples.ts'
import { OFF_SITE_EXAMPLES } from '#dashboard/off-site/examples.ts'
import { OPERATION_EXAMPLES } from '#dashboard/operations/examples.ts'
import { FLEET_EXAMPLES } from '#dashboard/overview/examples.ts'
import { RESTORED_EXAMPLES } from '#dashboard/restored/examples.ts'
import { SERVER_EXAMPLES } from '#dashboard/servers/examples.ts'
import { MAINTENANCE_EXAMPLES } from '#dashboard/servers/maintenance/examples.ts'
import { WEB_EXAMPLES } from '#dashboard/servers/web-examples.ts'
import { SETTING_EXAMPLES } from '#dashboard/settings/examples.ts'
import { BACKUP_EXAMPLES } from '#dashboard/site-backups/examples.ts'
import { SITE_DATABASE_EXAMPLES } from '#dashboard/site-database/examples.ts'
import { SITE_JOB_EXAMPLES } from '#dashboard/site-jobs/examples.ts'
import { SITE_SETTINGS_EXAMPLES } from '#dashboard/site-settings/examples.ts'
import { SITE_EXAMPLES } from '#dashboard/sites/examples.ts'
import { TRUST_EXAMPLES } from '#dashboard/trust/examples.ts'
import { LOGIN_EXAMPLES } from '#dashboard/wp-login/examples.ts'

/** One of each component, beside the routes of its subject; a part that has none is made of its parts. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...ACCESS_EXAMPLES,
  ...ACTIVITY_EXAMPLES,
  ...AUTH_EXAMPLES,
  ...NOTIFICATION_EXAMPLES,
  ...BULK_EXAMPLES,
  ...BACKUP_EXAMPLES,
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
