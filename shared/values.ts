/** Allowed values that both programs and the browser know. */
export const TIERS = ['small', 'medium', 'large'] as const
export const MAIL_TLS = ['starttls', 'implicit', 'none'] as const
/** Which addresses in `From` are replaced: none, those that are not of the site's domain, all. */
export const REWRITES = ['never', 'foreign', 'always'] as const
export const TLS_MODES = ['none', 'self-signed', 'letsencrypt'] as const
/** Of a site that was found: `other` is a certificate of another authority, which somebody bought. */
export const FOUND_TLS_MODES = [...TLS_MODES, 'other'] as const
export const FRAMEWORKS = ['wordpress', 'php', 'static', 'unknown'] as const
/**
 * Why the updates of a WordPress are unknown. Those of `config` are about running wp-config.php as the
 * site, where reading it does not tell: too slow, failed, not allowed, no PHP for it, still to be done,
 * or decided by the environment of PHP-FPM.
 */
export const UNKNOWN_UPDATES = [
  'config_slow',
  'config_failed',
  'config_refused',
  'config_no_php',
  'config_pending',
  'config_environment',
  'config_incomplete',
  'folders',
  'limit',
  'object_cache',
  'database',
  'database_elsewhere',
  'not_checked',
] as const
export const SERVER_STATUSES = ['pending', 'online', 'offline'] as const
export const SITE_STATUSES = [
  'provisioning',
  'active',
  'failed',
  'cancelled',
  'suspended',
  'deleting',
  'trashed',
  'missing',
] as const
export const SERVICE_STATUSES = ['running', 'stopped', 'failed', 'missing'] as const
export const ACTIVITY_STATUSES = ['running', 'success', 'failed', 'cancelled'] as const
export const OPERATION_STATUSES = ['queued', 'running', 'success', 'failed', 'cancelled'] as const
/** A graceful end leaves programs ten seconds; both undo what the operation made. */
export const CANCEL_MODES = ['graceful', 'forced'] as const
export const BULK_STATUSES = ['running', 'paused', 'success', 'failed', 'cancelled'] as const
/** skipped: the call is not for it, so that it never begins. */
export const BULK_ITEM_STATUSES = [
  'waiting',
  'running',
  'success',
  'failed',
  'cancelled',
  'skipped',
] as const
/** What an API token may do: each of them includes those before it. */
export const TOKEN_SCOPES = ['read', 'operate', 'admin'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** Of its limits on the disk, a site is over one, near one, or could not be measured. */
export const DISK_LEVELS = ['over', 'near', 'unknown'] as const

/** Of a site that is in use, or of one of its checks, from best to worst; unknown: nobody could look. */
export const HEALTH_STATES = ['up', 'degraded', 'down', 'unknown'] as const
export type HealthState = (typeof HEALTH_STATES)[number]
/** What is looked at of a site; the first that is not up is the reason of the whole. */
export const HEALTH_CHECKS = ['php', 'database', 'http', 'certificate'] as const
export type HealthCheck = (typeof HEALTH_CHECKS)[number]
