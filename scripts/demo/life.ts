import { Dice } from '#agent/host/simulated/dice.ts'
import { getServer, listServerIds } from '#dashboard/db/targets.ts'
import type { Deps } from '#dashboard/deps.ts'
import { begin } from '#dashboard/operations/begin.ts'
import { type KnownSite, listSiteRows } from '#dashboard/sync/queries.ts'
import { ServiceError } from '#shared/errors.ts'
import type { Fleet } from './fleet/fleet.ts'

/** The minimum and maximum time between events. */
const PAUSE_MS = [15_000, 60_000] as const
/** How long an unstable server is offline, and then online. */
const TURN_MS = [4 * 60_000, 10 * 60_000] as const
const MAX_TRIES = 5

type Work = (site: KnownSite) => Pick<Parameters<typeof begin>[1], 'type' | 'params'>

const scan: Work = ({ domain }) => ({ type: 'site.scan', params: { domain } })
const purge: Work = ({ domain }) => ({ type: 'cache.purge', params: { domain } })
const resize: Work = ({ user, php, tier }) => ({
  type: 'pool.apply',
  params: { user, php_version: php, tier },
})

/** Events while somebody watches: operations, and servers that go offline and online. */
export function live(deps: Deps, fleet: Fleet): () => void {
  const dice = new Dice(`${fleet.plan.seed} life`)
  const stopped = new AbortController()
  const pause = (ms: number) => deps.clock.sleep(ms, stopped.signal)
  const repeat = async (turn: () => Promise<void>) => {
    while (!stopped.signal.aborted)
      await turn().catch((error: unknown) => {
        if (!(error instanceof ServiceError)) deps.log.error('an event of the demo failed', error)
      })
  }
  void repeat(async () => {
    await pause(dice.between(...PAUSE_MS))
    if (!stopped.signal.aborted) await startOperation(deps, dice)
  })
  void repeat(async () => {
    for (const ms of TURN_MS) {
      await pause(ms)
      if (!stopped.signal.aborted) await fleet.toggle('flaky')
    }
  })
  return () => stopped.abort()
}

/** On a site without problems. */
async function startOperation(deps: Deps, dice: Dice): Promise<void> {
  const ids = await listServerIds(deps.db)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const server = await getServer(deps.db, ids[dice.below(ids.length)] ?? 0)
    const sites = await listSiteRows(deps.db, server.id)
    const site = sites[dice.below(sites.length)]
    if (server.status !== 'online' || site?.status !== 'active' || !site.managed) continue
    const work = dice.pick([scan, scan, purge, resize])(site)
    await begin(deps, { ...work, server, site, actor: null, wait_for_agent: false })
    return
  }
}
