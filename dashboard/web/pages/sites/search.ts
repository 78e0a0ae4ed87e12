import { SITE_STATUSES, TIERS, TLS_MODES } from '#shared/values.ts'

/** The columns that sites can be sorted by. */
const SORTS = [
  'domain',
  'server',
  'status',
  'wp_version',
  'updates',
  'php',
  'tier',
  'certificate_expires_at',
  'created_at',
] as const
export type Sort = (typeof SORTS)[number]

/** What the address of the page holds: which sites, in which order. */
export interface SitesSearch {
  q?: string
  server_id?: number
  tag?: string
  /** One or more, with commas between them. */
  status?: string
  tier?: string
  php?: string
  tls?: string
  updates?: boolean
  /** Whose certificate has ended or soon will. */
  expiring?: boolean
  /** Whether the agent made it. */
  managed?: boolean
  sort?: Sort
  order?: 'desc'
}

/** What changes in the address; undefined takes it away. */
export type Change = { [name in keyof SitesSearch]?: SitesSearch[name] | undefined }

type Raw = Record<string, unknown>

/** What is not understood is left out: an old or a mistyped address still shows sites. */
export function readSitesSearch(raw: Raw): SitesSearch {
  const sort = SORTS.find((name) => name === raw.sort)
  return {
    ...text(raw, 'q', () => true),
    ...(Number.isInteger(raw.server_id) && Number(raw.server_id) > 0
      ? { server_id: Number(raw.server_id) }
      : {}),
    ...text(raw, 'tag', () => true),
    ...text(raw, 'status', someOf(SITE_STATUSES)),
    ...text(raw, 'tier', someOf(TIERS)),
    ...text(raw, 'php', (value) => /^\d\.\d(,\d\.\d)*$/.test(value)),
    ...text(raw, 'tls', someOf(TLS_MODES)),
    ...flag(raw, 'updates'),
    ...flag(raw, 'expiring'),
    ...flag(raw, 'managed'),
    ...(sort && sort !== 'domain' ? { sort } : {}),
    ...(raw.order === 'desc' ? { order: 'desc' } : {}),
  }
}

const OUT_OF_TRASH = SITE_STATUSES.filter((status) => status !== 'trashed').join(',')

/** As the API takes it. What is in the trash is shown only when it is asked for. */
export function filterOf(search: SitesSearch): Record<string, string> {
  const given = Object.entries(search).map(([name, value]) => [name, String(value)])
  return { status: OUT_OF_TRASH, ...Object.fromEntries(given) }
}

/** The names of what narrows the sites down. */
export const NARROWING = [
  'q',
  'server_id',
  'tag',
  'status',
  'php',
  'tier',
  'tls',
  'updates',
  'expiring',
  'managed',
] as const satisfies (keyof SitesSearch)[]

/** A version such as 8.3 arrives as a number. */
function text(raw: Raw, name: string, isKnown: (value: string) => boolean) {
  const value = raw[name]
  if (typeof value !== 'string' && typeof value !== 'number') return {}
  const read = String(value).slice(0, 253)
  return read !== '' && isKnown(read) ? { [name]: read } : {}
}

/** From the API's own links it arrives as a text. */
function flag(raw: Raw, name: string) {
  const value = String(raw[name])
  return value === 'true' || value === 'false' ? { [name]: value === 'true' } : {}
}

const someOf = (values: readonly string[]) => (text: string) =>
  text.split(',').every((part) => values.includes(part))
