/** What can be chosen, and what it is called. */
export interface Option {
  value: string
  name: string
}

const named = (...values: string[]): Option[] => values.map((value) => ({ value, name: value }))

export const STATUSES = [
  ...named('active', 'provisioning', 'suspended'),
  { value: 'failed,missing', name: 'failed or missing' },
  ...named('failed', 'missing', 'deleting', 'trashed'),
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
  { value: 'false', name: 'none known' },
]
export const SORTED_BY = [
  ...named('server', 'status'),
  { value: 'wp_version', name: 'WordPress version' },
  ...named('updates'),
  { value: 'php', name: 'PHP version' },
  ...named('tier'),
  { value: 'certificate_expires_at', name: 'end of certificate' },
  { value: 'created_at', name: 'age' },
]
