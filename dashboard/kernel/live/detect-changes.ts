import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { FleetNews } from '#shared/operations/api/live.ts'
import { listBulkStates, listRecentOperations, listServerStates } from './queries.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'>

/** The interval for changes without a notification, as of another dashboard. */
export const POLL_MS = 2_000
/** The time for which ended operations stay included, since clocks of dashboards may differ. */
const PAST_MS = 15_000

type ObjectStates = readonly { id: number | string; state: string }[]

/** Finds changes of the records since its last call. */
export class ChangeDetector {
  readonly #deps: Deps
  #operations = new Map<string, string>()
  #servers = new Map<number | string, string>()
  #bulks = new Map<number | string, string>()
  #looked = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Returns the changes; those of servers and bulk operations every two seconds only. */
  async look(): Promise<FleetNews[]> {
    const { db, clock } = this.#deps
    const since = timestamp(clock, -PAST_MS)
    const news = await this.#operationNews(since)
    const now = clock.elapsed()
    if (now - this.#looked < POLL_MS) return news
    this.#looked = now
    const servers = await listServerStates(db)
    const bulks = await listBulkStates(db, since)
    return [
      ...news,
      ...changedIds(this.#servers, servers).map((id) => serverNews(Number(id))),
      ...changedIds(this.#bulks, bulks).map((id) => bulkNews(String(id))),
    ]
  }

  async #operationNews(since: string): Promise<FleetNews[]> {
    const before = this.#operations
    const rows = await listRecentOperations(this.#deps.db, since)
    const states = rows.map((row) => ({ row, id: row.view.id, state: JSON.stringify(row) }))
    this.#operations = new Map(states.map(({ id, state }) => [id, state]))
    return states
      .filter(({ id, state }) => before.get(id) !== state)
      .flatMap(({ row, id }) => {
        const { view, event_id } = row
        const message = view.last_line ?? ''
        const news = { kind: 'operation', message, operation: view, event_id } as const
        const is_running = before.has(id) && view.finished_at === null
        return is_running ? [news] : [news, ...placeNews(view)]
      })
  }
}

/** A site or server changes when an operation starts or ends there. */
function placeNews({ site_id, server_id }: { site_id: number | null; server_id: number }) {
  const site = site_id === null ? [] : [siteNews(site_id, server_id)]
  return [...site, serverNews(server_id)]
}

const serverNews = (id: number): FleetNews => ({ kind: 'server', message: '', id })
const bulkNews = (id: string): FleetNews => ({ kind: 'bulk', message: '', id })
/** Makes the news of a site; without an id, of any site of the server. */
export const siteNews = (id: number | null, server_id: number): FleetNews => ({
  kind: 'site',
  message: '',
  id,
  server_id,
})

/** Lists the ids of new, changed or deleted objects, and updates `before`. */
function changedIds(before: Map<number | string, string>, now: ObjectStates): (number | string)[] {
  const present = new Set(now.map(({ id }) => id))
  const deleted = [...before.keys()].filter((id) => !present.has(id))
  const other = now.filter(({ id, state }) => before.get(id) !== state)
  for (const id of deleted) before.delete(id)
  for (const { id, state } of other) before.set(id, state)
  return [...deleted, ...other.map(({ id }) => id)]
}
