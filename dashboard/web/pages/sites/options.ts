import type { Option } from './filter-select.tsx'

export const STATUSES: Option[] = [
  'active',
  'provisioning',
  'suspended',
  { value: 'failed,missing', name: 'failed or missing' },
  'failed',
  'missing',
  'deleting',
  'trashed',
]
export const PHP_VERSIONS = ['8.5', '8.4', '8.3', '8.2', '8.1', '8.0', '7.4']
export const PHP: Option[] = PHP_VERSIONS.map((value) => ({ value, name: `PHP ${value}` }))
export const TIERS: Option[] = ['small', 'medium', 'large']
export const TLS: Option[] = [
  { value: 'letsencrypt', name: "Let's Encrypt" },
  'self-signed',
  { value: 'none', name: 'without TLS' },
]
export const UPDATES: Option[] = [
  { value: 'true', name: 'with updates' },
  { value: 'false', name: 'none known' },
]
export const SORTED_BY: Option[] = [
  'server',
  'status',
  { value: 'wp_version', name: 'WordPress version' },
  'updates',
  { value: 'php', name: 'PHP version' },
  'tier',
  { value: 'certificate_expires_at', name: 'end of certificate' },
  { value: 'created_at', name: 'age' },
]
