/** What can be chosen, and what it is called. */
export interface Option {
  value: string
  name: string
}

const named = (...values: string[]): Option[] => values.map((value) => ({ value, name: value }))

export const STATUSES = [
  ...named('active', 'provisioning', 'suspended'),
  { value: 'failed,missing', name: 'failed or missing' },
  ...named('failed', 'cancelled', 'missing', 'deleting', 'trashed'),
]
export const HEALTH = [
  { value: 'down', name: 'Down' },
  { value: 'degraded', name: 'Degraded' },
  { value: 'down,degraded', name: 'Down or degraded' },
  { value: 'unknown', name: 'Unknown' },
  { value: 'up', name: 'Up' },
]
export const PHP = ['8.5', '8.4', '8.3', '8.2', '8.1', '8.0', '7.4'].map((value) => ({
  value,
  name: `PHP ${value}`,
}))
export const TIERS = named('small', 'medium', 'large')
export const TLS = [
  { value: 'letsencrypt', name: "Let's Encrypt" },
  ...named('self-signed'),
  { value: 'none', name: 'without TLS' },
]
export const UPDATES = [
  { value: 'true', name: 'with updates' },
  { value: 'false', name: 'up to date' },
]
/** Which sites by whom they are managed: one choice, two filters. */
export const OWNERSHIP = [
  { value: 'managed', name: 'Managed' },
  { value: 'found', name: 'Not managed' },
  { value: 'ignored', name: 'Ignored' },
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
