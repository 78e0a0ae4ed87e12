import { PROTOCOL } from '#shared/kernel/protocol.ts'
import { NO_MAIL } from '#shared/mail/mail.ts'
import {
  type ChangesPart,
  ChangesRequest,
  PART_NAMES,
  PARTS,
  type PartVersions,
} from '#shared/servers/changes.ts'

const FIRST = 127

/** Returns the loopback address of a server with this number. */
export const hostnameOf = (number: number): string =>
  `${FIRST}.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`

/** Returns the number of the server at an address, which IPv6 may write as `::ffff:127.1.0.7`. */
export function numberOf(address: string): number {
  const [, high = 0, middle = 0, low = 0] = address.replace('::ffff:', '').split('.').map(Number)
  return ((high - 1) << 16) + (middle << 8) + low
}

export const SITES = 20
/** What each server has, always. */
const VERSIONS = { health: 'unchanged', numbers: '1', state: 'unchanged' }
/** The end of each domain, in front of which each server has its own part. */
export const EVERY = '.example'
const domains = Array.from({ length: SITES }, (_, number) => `site-${number}${EVERY}`)

const metrics = {
  cpu: 12.5,
  ram: { used: 5120, total: 16_384, unit: 'MB' },
  disk: { used: 40_960, total: 204_800, unit: 'MB' },
  load: [0.5, 0.4, 0.3],
  uptime: 86_400,
  os: 'Debian GNU/Linux 13 (trixie)',
  version: '0.1.0',
  protocol: PROTOCOL,
}
const services = ['nginx', 'mariadb', 'cron', 'php8.4'].map((name) => ({ name, status: 'running' }))
const site = (domain: string, number: number) => ({
  ...{ domain, user: 'shop1a2b3c', docroot: '/srv/www/shop1a2b3c/public', php: '8.4' },
  ...{ tier: 'small', tls: 'letsencrypt', framework: 'wordpress', wp_version: '7.1.1' },
  ...{ db_name: 'shop1a2b3c', updates: { plugins: number % 3, themes: 0, core: false } },
})
const usage = (domain: string) => ({
  ...{ domain, bytes: 2e9, files: 40_000, database_bytes: 5e7 },
  ...{ limit_bytes: 10e9, limit_files: 250_000, measured_at: '2026-05-01T00:00:00.000Z' },
})
/** Far enough away to need no attention. */
const EXPIRES = new Date(Date.now() + 60 * 24 * 3600_000).toISOString()
const check = { state: 'up', code: 'ok', reason: '' }
const health = (domain: string) => ({
  ...{ domain, ...check },
  checks: ['php', 'database', 'http', 'certificate'].map((name) => ({ check: name, ...check })),
})

/** The answers of an agent with 20 sites, by path. */
const ANSWERS: Readonly<Record<string, object>> = {
  '/metrics': metrics,
  '/services': { services },
  '/sites': { sites: domains.map(site) },
  '/web': { programs: [], unnamed: [] },
  '/trash': { trash: [] },
  // A dashboard asks once for the keys that an agent accepts: these are none of others.
  '/keys': { epoch: 1, keys: [] },
  '/certificates': {
    certificates: domains.map((domain) => ({ domain, expires_at: EXPIRES })),
  },
  '/usage': { sites: domains.map(usage) },
  '/maintenance': { maintenance: null },
  '/mail': { running: true, sites: domains.map((domain) => ({ domain, ...NO_MAIL })) },
  '/job-troubles': { sites: [] },
  '/access': { sites: [] },
  '/logins': { logins: [] },
  '/sites/health': { sites: domains.map(health) },
  '/sites/numbers': { sites: [] },
}

const bodies = new Map(Object.entries(ANSWERS).map(([path, body]) => [path, JSON.stringify(body)]))

/** Returns the body of an answer; undefined: there is no such call. `is_held`: nothing in it has changed. */
export function answerTo(
  path: string,
  query: object = {},
): { body?: string | undefined; is_held?: boolean } {
  if (path !== '/changes') return { body: bodies.get(path) }
  const { since } = ChangesRequest.parse(query)
  const parts = PART_NAMES.filter((part) => since[part] !== undefined)
  const changed = parts.filter((part) => since[part] !== VERSIONS[part])
  const name = `${parts} ${changed}`
  const body = bodies.get(name) ?? JSON.stringify(changesOf(parts, changed))
  bodies.set(name, body)
  return { body, is_held: changed.length === 0 }
}

function changesOf(parts: readonly ChangesPart[], changed: readonly ChangesPart[]) {
  const versions: PartVersions = {}
  for (const part of parts) versions[part] = VERSIONS[part]
  const paths = changed.flatMap((part) => PARTS[part])
  return {
    metrics,
    versions,
    answers: Object.fromEntries(paths.map((path) => [path, ANSWERS[path]])),
  }
}

/** What a whole sync asks. */
export const CALLS = ['/changes?since=state.']
/** The same as an answer of its own for each part. */
export const WHOLE = ['/metrics', ...PARTS.state.filter((path) => path !== '/trash')]
