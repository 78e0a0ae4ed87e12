/** Allowed values that both programs and the browser know. Source: api.md parts 2, 3 and 8. */
export const TIERS = ['small', 'medium', 'large'] as const
export const TLS_MODES = ['none', 'self-signed', 'letsencrypt'] as const
export const FRAMEWORKS = ['wordpress', 'php', 'static', 'unknown'] as const
export const SERVER_STATUSES = ['pending', 'online', 'offline'] as const
export const SITE_STATUSES = [
  'provisioning',
  'active',
  'failed',
  'suspended',
  'deleting',
  'trashed',
  'missing',
] as const
export const SERVICE_STATUSES = ['running', 'stopped', 'failed', 'missing'] as const
export const ACTIVITY_STATUSES = ['running', 'success', 'failed'] as const
export const OPERATION_STATUSES = ['queued', 'running', 'success', 'failed', 'cancelled'] as const
/** A graceful end leaves programs ten seconds; both undo what the operation made. */
export const CANCEL_MODES = ['graceful', 'forced'] as const
export const BULK_STATUSES = ['running', 'paused', 'success', 'failed', 'cancelled'] as const
export const BULK_ITEM_STATUSES = ['waiting', 'running', 'success', 'failed', 'cancelled'] as const
