import type { Host } from '#agent/kernel/host/ports.ts'
import { eachAtOnce } from '#agent/kernel/host/processes/at-once.ts'
import { checkCertificate } from './certificate.ts'
import { checkDatabase, DATABASE_DOWN, type DatabaseCheck } from './database.ts'
import { checkPhp } from './php.ts'
import { isMariadbDown, phpStates } from './php-state.ts'
import { isWorthVisiting, type Verdicts } from './verdict.ts'
import type { Watched } from './watched.ts'

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
