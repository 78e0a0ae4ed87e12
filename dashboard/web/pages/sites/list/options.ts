import type { Filter } from '#dashboard/web/ui/filter-options.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { FRAMEWORKS, TIERS } from '#shared/kernel/values.ts'
import { PHP_VERSIONS } from '#shared/php/php-support.ts'

export const STATUSES = named(
  'active',
  'provisioning',
  'suspended',
  'failed',
  'cancelled',
  'missing',
  'deleting',
  'trashed',
)
export const HEALTH = [
  { value: 'down', name: 'Down' },
  { value: 'degraded', name: 'Degraded' },
  { value: 'unknown', name: 'Unknown' },
  { value: 'up', name: 'Up' },
]
export const PHP = PHP_VERSIONS.filter((value) => value >= '7.4')
  .map((value) => ({ value, name: `PHP ${value}` }))
  .toReversed()
export const TIER_OPTIONS = named(...TIERS)
export const TLS = [
  { value: 'letsencrypt', name: "Let's Encrypt" },
  ...named('self-signed'),
  { value: 'none', name: 'without TLS' },
]
const either = (name: string, label: string, yes: string, no: string): Filter => ({
  name,
  label,
  options: [
    { value: 'true', name: yes },
    { value: 'false', name: no },
  ],
})

/** Filters of one value. */
export const OTHERS: readonly Filter[] = [
  {
    name: 'disk',
    label: 'Disk',
    isMany: true,
    options: [
      { value: 'over', name: 'over the limit' },
      { value: 'near', name: 'near the limit' },
      { value: 'unknown', name: 'not measured' },
    ],
  },
  either('errors', 'Errors', 'with errors 5xx', 'without errors 5xx'),
  either('updates', 'Updates', 'with updates', 'up to date'),
  either('expiring', 'Certificate', 'expires soon', 'does not expire soon'),
  either('managed', 'Management', 'managed', 'not managed'),
  either('ignored', 'Ignored', 'ignored', 'not ignored'),
  either('staging', 'Staging', 'staging sites', 'no staging sites'),
  either('conflict', 'Same name', 'on another server too', 'on one server only'),
  { name: 'framework', label: 'Type', options: named(...FRAMEWORKS), isMany: true },
]
export const SORTED_BY = [
  ...named('server', 'status', 'health'),
  { value: 'wp_version', name: 'WordPress version' },
  ...named('updates'),
  { value: 'php', name: 'PHP version' },
  ...named('tier'),
  { value: 'certificate_expires_at', name: 'end of certificate' },
  { value: 'created_at', name: 'age' },
]
