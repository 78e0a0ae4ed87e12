import type { Database } from '#dashboard/db/client.ts'
import type { ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import type { Bus } from '#dashboard/operations/bus.ts'
import { reasonOf } from '#dashboard/operations/effects.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import { type HandOverDeps, handOver } from '#dashboard/trust/keys/hand-over.ts'
import {
  Certificates,
  type FoundSite,
  FoundSites,
  Metrics,
  type Service,
  Services,
  type TrashedSite,
} from '#shared/agent.ts'
import { bodyOf, ServiceError } from '#shared/errors.ts'
import type { Agents } from './agents.ts'
import { askTrash } from './ask-trash.ts'
import { sitesOf } from './live/feed.ts'
import { applySync, listSiteRows, recordFailedContact, withoutTaken } from './queries.ts'
import {
  certificateUpdates,
  type FoundTrash,
  isTrashAsked,
  planSync,
  type SyncPlan,
} from './sync-plan.ts'

export interface SyncDeps extends HandOverDeps {
  bus: Bus
  /** How long a deleted site stays in the trash. */
  trash_ms: number
}

/** True: a change of state gets an activity of its own, since no operation tells of it. */
interface Options {
  tell: boolean
  /** Cuts it off where it is. */
  signal?: AbortSignal
}

/**
 * Makes the records of a server agree with what its agent reports. Throws offline before the first
 * line when the agent is away; three such contacts in a row make the server offline.
 */
export async function* syncServer(
  deps: SyncDeps,
  server: ServerRow,
  options: Options,
): AsyncGenerator<string, { sites: number }> {
  try {
    await handOver(deps, server)
    return yield* readAndApply(deps, server, options)
  } catch (error) {
    if (error instanceof ServiceError) {
      const reason = reasonOf(bodyOf(error))
      await recordFailedContact(deps.db, server, reason, timestamp(deps.clock), options.tell)
    }
    throw error
  }
}

async function* readAndApply(
  deps: SyncDeps,
  server: ServerRow,
  { tell, signal }: Options,
): AsyncGenerator<string, { sites: number }> {
  const { db, clock, agents, contact_ms, trash_ms } = deps
  const metrics = await agents.get(server, '/metrics', Metrics, contact_ms, signal)
  yield `Connected to the agent of ${server.name}`
  const { services } = await agents.get(server, '/services', Services, undefined, signal)
  yield `Read the state of ${services.length} services`
  const records = await listSiteRows(db, server.id)
  const { sites } = await agents.get(server, '/sites', FoundSites, undefined, signal)
  yield `Found ${sites.length} sites`
  const purge_at = timestamp(clock, trash_ms)
  const kept = await trashOf(agents, server, records, sites)
  const { plan, others } = await planned(db, records, sites, kept && { sites: kept, purge_at })
  const ends = await certificateEnds(agents, server)
  if (ends) plan.updates.push(...certificateUpdates(records, sites, ends))
  const reading = { metrics, services, php_versions: phpVersions(services) }
  await applySync(db, { server, reading, plan, now: timestamp(clock), purge_at, tell })
  if (isChange(plan)) deps.bus.notify(sitesOf(server.id))
  if (others > 0) yield `On record already, here or elsewhere: ${others} sites`
  if (plan.imports.length > 0) yield `New on record: ${plan.imports.length} sites`
  if (plan.trashed.length > 0) yield `New in the trash: ${plan.trashed.length} sites`
  if (plan.missing.length > 0) yield `Missing on the server: ${plan.missing.length} sites`
  return { sites: sites.length }
}

/** By domain. Undefined: the agent is one that does not tell, and what is on record stays. */
async function certificateEnds(agents: Agents, server: ServerRow) {
  try {
    const { certificates } = await agents.get(server, '/certificates', Certificates)
    return new Map(certificates.map(({ domain, expires_at }) => [domain, expires_at]))
  } catch {
    return undefined
  }
}

function isChange({ updates, imports, trashed }: SyncPlan): boolean {
  return updates.length + imports.length + trashed.length > 0
}

/** `others`: how many of the sites found belong to another record. */
async function planned(
  db: Database,
  records: readonly SiteRow[],
  found: readonly FoundSite[],
  trash: FoundTrash | undefined,
) {
  const whole = planSync(records, found, trash)
  const plan = {
    ...whole,
    imports: await withoutTaken(db, whole.imports),
    trashed: await withoutTaken(db, whole.trashed),
  }
  return { plan, others: whole.imports.length - plan.imports.length }
}

/**
 * Asked for when a site is not where it was; and at first, for what an earlier dashboard has left
 * there. A server that does not tell has no site the less for it: what is in the trash stays there.
 */
async function trashOf(
  agents: Agents,
  server: ServerRow,
  records: readonly SiteRow[],
  found: readonly FoundSite[],
): Promise<TrashedSite[] | undefined> {
  if (server.last_sync !== null && !isTrashAsked(records, found)) return undefined
  return askTrash(agents, server).catch(() => undefined)
}

/** The agent reports each installed version as a service such as `php8.2`. */
function phpVersions(services: readonly Service[]): string[] {
  return services.flatMap(({ name, status }) => {
    const version = /^php(\d\.\d)$/.exec(name)?.[1]
    return version !== undefined && status !== 'missing' ? [version] : []
  })
}
