import { socketOf } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { mapConcurrently } from '#agent/kernel/host/processes/map-concurrently.ts'
import type { DatabaseAnswer } from '#agent/kernel/host/scanner-port.ts'
import type { PingResult } from '#agent/kernel/host/visit-port.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { degraded, down, type HealthVerdict, UP, up } from '#shared/health/page-verdict.ts'
import { checkCertificate } from './certificate.ts'
import { isMariadbDown, type PhpState, phpStates } from './php-state.ts'
import { isWorthVisiting, type Verdicts } from './verdict.ts'
import type { WatchedSite } from './watched-site.ts'

const DATABASE_DOWN = down('database_away', 'MariaDB does not answer on this server')

type DatabaseState = Exclude<DatabaseAnswer['state'], 'none'>

const STATES: Record<DatabaseState, (error: string) => HealthVerdict> = {
  answers: () => UP,
  away: () => DATABASE_DOWN,
  refused: (error) =>
    down('database_refused', `MariaDB refuses the account in wp-config.php${error}`),
  missing: (error) =>
    down(
      'database_missing',
      `The database of the site, or a table of WordPress, is missing${error}`,
    ),
  broken: (error) => down('database_broken', `Tables of the database do not answer${error}`),
  busy: (error) => degraded('database_busy', `The database has no free connection${error}`),
  slow: () => degraded('database_slow', 'The database does not answer in time'),
}

interface DatabaseCheck {
  /** The verdict; undefined without a WordPress that has a database on this server. */
  verdict?: HealthVerdict
  /** Changes with the files, options or plugins of the site. */
  version?: string | undefined
}

/** Checks the database with the site's own account. */
async function checkDatabase(host: Host, site: Site): Promise<DatabaseCheck> {
  const { user, php, domain } = site
  const tenant = { docroot: docrootOf(user), user, php, domain }
  const { state, error, version } = await host.scanner.database(tenant)
  if (state === 'none') return {}
  return { verdict: STATES[state](error === undefined ? '' : ` (error ${error})`), version }
}

const MAX_CONCURRENT = 16
/** The time until a changed result is checked again: one missing answer changes nothing. */
export const RECHECK_MS = 3000
/** The divisor of the time for a slow check: it costs at most a tenth of the time. */
const MAX_SHARE_DIVISOR = 10
/** The time for each site, so that many sites are checked less often at a constant cost. */
const MS_PER_SITE = 300
const MAX_REST_MS = 60_000

type CheckResults = Omit<Verdicts, 'http'>
const DATABASE_AWAY: DatabaseCheck = { verdict: DATABASE_DOWN }
const CHECKS = ['php', 'database', 'certificate'] as const

export interface CheckOptions {
  /** Returns whether an operation changes the site, which is then not checked. */
  isBusy(domain: string): boolean
  report(error: unknown): void
}

/** Returns the pause after a check of this duration, with this number of sites. */
export function pauseAfter(took: number, all: number): number {
  return Math.min(MAX_REST_MS, Math.max(MAX_SHARE_DIVISOR * took, MS_PER_SITE * all))
}

/** Checks PHP, database and certificate of some of `all` sites; changes count when repeated. */
export async function checkSites(
  host: Host,
  sites: readonly WatchedSite[],
  looking: CheckOptions & { all: number },
): Promise<void> {
  const changed = await checkRound(host, sites, looking, (watched, found) => {
    if (isSame(watched.verdicts, found)) return true
    const isBelieved = watched.verdicts.php === undefined && isAllUp(found)
    if (isBelieved) applyResults(watched, found)
    return isBelieved
  })
  if (changed.length === 0) return
  await host.clock.sleep(RECHECK_MS)
  const before = new Map(changed.map(({ watched, found }) => [watched, found]))
  const again = changed.map(({ watched }) => watched)
  await checkRound(host, again, looking, (watched, found) => {
    const expected = before.get(watched)
    if (expected && isSame(expected, found)) applyResults(watched, found)
    return true
  })
}

/** Passes each result to `take`; returns the sites for which that returns false. */
async function checkRound(
  host: Host,
  sites: readonly WatchedSite[],
  { isBusy, report, all }: CheckOptions & { all: number },
  take: (watched: WatchedSite, found: CheckResults) => boolean,
): Promise<{ watched: WatchedSite; found: CheckResults }[]> {
  const left: { watched: WatchedSite; found: CheckResults }[] = []
  const free = sites.filter(({ site }) => !isBusy(site.domain))
  const states = await phpStates(
    host,
    free.map(({ site }) => site),
  )
  const away = free.length > 0 && (await isMariadbDown(host))
  await mapConcurrently(free, MAX_CONCURRENT, async (watched) => {
    const started = host.clock.elapsed()
    try {
      watched.php = states.get(watched.site.user) ?? 'running'
      const found = await checkSite(host, watched, away)
      // The entry may have been removed meanwhile.
      if (!isBusy(watched.site.domain) && !take(watched, found)) left.push({ watched, found })
    } catch (error) {
      report(error)
    }
    const took = host.clock.elapsed() - started
    watched.look_at = host.clock.elapsed() + pauseAfter(took, all)
  })
  return left
}

async function checkSite(host: Host, watched: WatchedSite, away: boolean): Promise<CheckResults> {
  const { site, php: state, traffic } = watched
  await traffic.look(host, site.user)
  const quiet = traffic.isQuiet(host.clock.elapsed())
  const [php, database, certificate] = await Promise.all([
    checkPhp(host, site, { state, quiet }),
    away ? DATABASE_AWAY : checkDatabase(host, site),
    checkCertificate(host, site),
  ])
  noteVersion(watched, database.version)
  return {
    php,
    ...(database.verdict && { database: database.verdict }),
    ...(certificate && { certificate }),
  }
}

/** Records the version. A change may break the page of a site, which is requested again at once. */
function noteVersion(watched: WatchedSite, version: string | undefined): void {
  if (version === undefined || version === watched.version) return
  if (watched.version !== undefined) watched.visited_at = Number.NEGATIVE_INFINITY
  watched.version = version
}

/** Applies results. A page that was read before PHP or database recovered is requested again. */
function applyResults(watched: WatchedSite, found: CheckResults): void {
  const { http } = watched.verdicts
  const goes_on = isWorthVisiting(found) && isWorthVisiting(watched.verdicts)
  if (isWorthVisiting(found) && watched.verdicts.php && !goes_on)
    watched.visited_at = Number.NEGATIVE_INFINITY
  watched.verdicts = { ...found, ...(http && goes_on && { http }) }
}

const isSame = (one: Verdicts, other: CheckResults): boolean =>
  CHECKS.every((check) => JSON.stringify(one[check]) === JSON.stringify(other[check]))

const isAllUp = (found: CheckResults): boolean =>
  CHECKS.every((check) => (found[check]?.state ?? 'up') === 'up')

type PhpVerdict = (php: string) => HealthVerdict

const AT_REST: Record<Exclude<PhpState, 'running'>, PhpVerdict> = {
  asleep: () => up('php_asleep', 'PHP sleeps until the next visitor'),
  failed: (php) => down('php_failed', `PHP ${php} of this site has failed`),
  failing: (php) => down('php_failing', `PHP ${php} of this site ends each time it is started`),
  stopped: (php) => down('php_stopped', `PHP ${php} of this site is not running`),
  frozen: (php) => down('php_frozen', `PHP ${php} of this site is stopped by a signal`),
}

const PINGED: Record<PingResult, PhpVerdict> = {
  pong: () => UP,
  refused: (php) => down('php_stopped', `PHP ${php} of this site does not answer on its socket`),
  silent: (php) =>
    degraded('php_silent', `PHP ${php} of this site does not answer: all of its workers are busy`),
  busy: (php) =>
    degraded('php_busy', `PHP ${php} of this site accepts no more requests: its queue is full`),
  other: (php) => degraded('php_silent', `PHP ${php} of this site does not answer as PHP-FPM does`),
}

/** `quiet` is true for a site without visitors, whose PHP a ping would keep awake. */
async function checkPhp(
  host: Host,
  site: Site,
  { state, quiet }: { state: PhpState; quiet: boolean },
): Promise<HealthVerdict> {
  if (state !== 'running') return AT_REST[state](site.php)
  if (quiet) return UP
  const { user, php } = site
  const socket = socketOf({ user, php })
  return PINGED[await host.visitor.pingFpm(socket)](php)
}
