import { socketOf } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { eachAtOnce } from '#agent/kernel/host/processes/at-once.ts'
import type { DatabaseAnswer } from '#agent/kernel/host/scanner-port.ts'
import type { Pinged } from '#agent/kernel/host/visit-port.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { degraded, down, UP, up, type Verdict } from '#shared/health/page-verdict.ts'
import { checkCertificate } from './certificate.ts'
import { isMariadbDown, type PhpState, phpStates } from './php-state.ts'
import { isWorthVisiting, type Verdicts } from './verdict.ts'
import type { Watched } from './watched.ts'

const DATABASE_DOWN = down('database_away', 'MariaDB does not answer on this server')

type State = Exclude<DatabaseAnswer['state'], 'none'>

const STATES: Record<State, (error: string) => Verdict> = {
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
  /** The value is undefined without a WordPress that has a database on this server. */
  verdict?: Verdict
  /** Another one after a change of the files, options or plugins of the site. */
  version?: string | undefined
}

/** With the site's own account. */
async function checkDatabase(host: Host, site: Site): Promise<DatabaseCheck> {
  const { user, php, domain } = site
  const tenant = { docroot: docrootOf(user), user, php, domain }
  const { state, error, version } = await host.scanner.database(tenant)
  if (state === 'none') return {}
  return { verdict: STATES[state](error === undefined ? '' : ` (error ${error})`), version }
}

const AT_ONCE = 16
/** A changed result is checked again after this time: one missing answer changes nothing. */
export const AGAIN_MS = 3000
/** A site whose check is slow is checked less often: it costs at most a tenth of the time. */
const SHARE = 10
/** With many sites each is checked less often, so that the total cost is constant. */
const EACH_MS = 300
const MAX_REST_MS = 60_000

type Looked = Omit<Verdicts, 'http'>
const AWAY: DatabaseCheck = { verdict: DATABASE_DOWN }
const CHECKS = ['php', 'database', 'certificate'] as const

export interface Looking {
  /** Whether an operation changes the site, which is then not checked. */
  isBusy(domain: string): boolean
  report(error: unknown): void
}

/** The pause after a check of this duration, with this number of sites. */
export function restAfter(took: number, all: number): number {
  return Math.min(MAX_REST_MS, Math.max(SHARE * took, EACH_MS * all))
}

/**
 * PHP, database and certificate of each site, some at a time; a changed result counts when it is
 * repeated. `all`: the number of sites.
 */
export async function look(
  host: Host,
  sites: readonly Watched[],
  looking: Looking & { all: number },
): Promise<void> {
  const changed = await round(host, sites, looking, (watched, found) => {
    if (isSame(watched.verdicts, found)) return true
    const isBelieved = watched.verdicts.php === undefined && isAllUp(found)
    if (isBelieved) settle(watched, found)
    return isBelieved
  })
  if (changed.length === 0) return
  await host.clock.sleep(AGAIN_MS)
  const before = new Map(changed.map(({ watched, found }) => [watched, found]))
  const again = changed.map(({ watched }) => watched)
  await round(host, again, looking, (watched, found) => {
    const expected = before.get(watched)
    if (expected && isSame(expected, found)) settle(watched, found)
    return true
  })
}

/** Passes each result to `take`; returns the sites for which that returns false. */
async function round(
  host: Host,
  sites: readonly Watched[],
  { isBusy, report, all }: Looking & { all: number },
  take: (watched: Watched, found: Looked) => boolean,
): Promise<{ watched: Watched; found: Looked }[]> {
  const left: { watched: Watched; found: Looked }[] = []
  const free = sites.filter(({ site }) => !isBusy(site.domain))
  const states = await phpStates(
    host,
    free.map(({ site }) => site),
  )
  const away = free.length > 0 && (await isMariadbDown(host))
  await eachAtOnce(free, AT_ONCE, async (watched) => {
    const started = host.clock.elapsed()
    try {
      watched.php = states.get(watched.site.user) ?? 'running'
      const found = await lookAt(host, watched, away)
      // The entry may have been removed meanwhile.
      if (!isBusy(watched.site.domain) && !take(watched, found)) left.push({ watched, found })
    } catch (error) {
      report(error)
    }
    const took = host.clock.elapsed() - started
    watched.look_at = host.clock.elapsed() + restAfter(took, all)
  })
  return left
}

async function lookAt(host: Host, watched: Watched, away: boolean): Promise<Looked> {
  const { site, php: state, traffic } = watched
  await traffic.look(host, site.user)
  const quiet = traffic.isQuiet(host.clock.elapsed())
  const [php, database, certificate] = await Promise.all([
    checkPhp(host, site, { state, quiet }),
    away ? AWAY : checkDatabase(host, site),
    checkCertificate(host, site),
  ])
  noteVersion(watched, database.version)
  return {
    php,
    ...(database.verdict && { database: database.verdict }),
    ...(certificate && { certificate }),
  }
}

/** A change of what a site runs may break its page, which is requested again at once. */
function noteVersion(watched: Watched, version: string | undefined): void {
  if (version === undefined || version === watched.version) return
  if (watched.version !== undefined) watched.visited_at = Number.NEGATIVE_INFINITY
  watched.version = version
}

/** A page that was read before its PHP or database recovered is out of date. */
function settle(watched: Watched, found: Looked): void {
  const { http } = watched.verdicts
  const goes_on = isWorthVisiting(found) && isWorthVisiting(watched.verdicts)
  if (isWorthVisiting(found) && watched.verdicts.php && !goes_on)
    watched.visited_at = Number.NEGATIVE_INFINITY
  watched.verdicts = { ...found, ...(http && goes_on && { http }) }
}

const isSame = (one: Verdicts, other: Looked): boolean =>
  CHECKS.every((check) => JSON.stringify(one[check]) === JSON.stringify(other[check]))

const isAllUp = (found: Looked): boolean =>
  CHECKS.every((check) => (found[check]?.state ?? 'up') === 'up')

type Named = (php: string) => Verdict

const AT_REST: Record<Exclude<PhpState, 'running'>, Named> = {
  asleep: () => up('php_asleep', 'PHP sleeps until the next visitor'),
  failed: (php) => down('php_failed', `PHP ${php} of this site has failed`),
  failing: (php) => down('php_failing', `PHP ${php} of this site ends each time it is started`),
  stopped: (php) => down('php_stopped', `PHP ${php} of this site is not running`),
  frozen: (php) => down('php_frozen', `PHP ${php} of this site is stopped by a signal`),
}

const PINGED: Record<Pinged, Named> = {
  pong: () => UP,
  refused: (php) => down('php_stopped', `PHP ${php} of this site does not answer on its socket`),
  silent: (php) =>
    degraded('php_silent', `PHP ${php} of this site does not answer: all of its workers are busy`),
  busy: (php) =>
    degraded('php_busy', `PHP ${php} of this site accepts no more requests: its queue is full`),
  other: (php) => degraded('php_silent', `PHP ${php} of this site does not answer as PHP-FPM does`),
}

/** `quiet`: the site has no visitors, and a ping would keep its PHP awake. */
async function checkPhp(
  host: Host,
  site: Site,
  { state, quiet }: { state: PhpState; quiet: boolean },
): Promise<Verdict> {
  if (state !== 'running') return AT_REST[state](site.php)
  if (quiet) return UP
  const { user, php } = site
  const socket = socketOf({ user, php })
  return PINGED[await host.visitor.pingFpm(socket)](php)
}
