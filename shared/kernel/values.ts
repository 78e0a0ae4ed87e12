/** Values that both programs and the browser know. */
export const TIERS = ['small', 'medium', 'large'] as const
export const MAIL_TLS = ['starttls', 'implicit', 'none'] as const
/** The addresses in `From` that are replaced: none, those outside the site's domain, all. */
export const REWRITES = ['never', 'foreign', 'always'] as const
export const TLS_MODES = ['none', 'self-signed', 'letsencrypt'] as const
/** The modes of a discovered site; `other` is a certificate of another authority. */
export const FOUND_TLS_MODES = [...TLS_MODES, 'other'] as const
export const FRAMEWORKS = ['wordpress', 'php', 'static', 'unknown'] as const
/**
 * The reasons why the updates of a WordPress are unknown. The codes of `config` are about running
 * wp-config.php as the site when reading it is not enough: too slow, failed, not allowed, no PHP
 * for it, pending, or decided by the environment of PHP-FPM.
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
/**
 * What an unfinished operation excludes. Of its site: all that change it, the same except a backup,
 * or all that change its files or database. One of the same type; all of the server; or nothing.
 */
export const EXCLUSIONS = [
  'same_site',
  'same_site_except_backup',
  'changes_of_site',
  'same_type',
  'all_of_server',
  'nothing',
] as const
export type Exclusion = (typeof EXCLUSIONS)[number]
/** The kinds of accounts: of a person, who logs in, or of the fleet, which only has API tokens. */
export const ACCOUNT_KINDS = ['person', 'service'] as const
export const ACTIVITY_STATUSES = ['running', 'success', 'failed', 'cancelled'] as const
/**
 * The sources of an activity: a person in the browser, a script with an API token, the schedule of
 * the dashboard, the report of an agent, or the dashboard itself.
 */
export const ACTIVITY_SOURCES = ['session', 'token', 'schedule', 'agent', 'system'] as const
export type ActivitySource = (typeof ACTIVITY_SOURCES)[number]
export const OPERATION_STATUSES = ['queued', 'running', 'success', 'failed', 'cancelled'] as const
/** The modes of a cancel: a graceful one gives programs ten seconds; both undo steps. */
export const CANCEL_MODES = ['graceful', 'forced'] as const
export const BULK_STATUSES = ['running', 'paused', 'success', 'failed', 'cancelled'] as const
/** The states of an item; `skipped` means that the target does not qualify, and never starts. */
export const BULK_ITEM_STATUSES = [
  'waiting',
  'running',
  'success',
  'failed',
  'cancelled',
  'skipped',
] as const
/** The scopes of an API token: each includes the previous ones. */
export const TOKEN_SCOPES = ['read', 'operate', 'admin'] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** The levels of a site that is over a disk limit, near one, or could not be measured. */
export const DISK_LEVELS = ['over', 'near', 'unknown'] as const

/** The health of a site or check, from best to worst; `unknown` without a check. */
export const HEALTH_STATES = ['up', 'degraded', 'down', 'unknown'] as const
export type HealthState = (typeof HEALTH_STATES)[number]
/** The checks of a site by its agent; the first one that is not up is the reason of the whole. */
export const HEALTH_CHECKS = ['php', 'database', 'http', 'certificate'] as const
export type HealthCheck = (typeof HEALTH_CHECKS)[number]
/** The checks with the dashboard's request from outside, which decides if it is worse. */
export const SHOWN_CHECKS = [...HEALTH_CHECKS, 'visit'] as const
export type ShownCheck = (typeof SHOWN_CHECKS)[number]
