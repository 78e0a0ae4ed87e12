import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import { MAX_HEALTH_CHANGES } from '#dashboard/kernel/agents/budgets.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { sitesTopic } from '#dashboard/kernel/live/feed.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { SiteHealth as Entry } from '#shared/servers/agent.ts'
import { siteHealthReading } from '#shared/sites/readings.ts'
import { storeHealth } from './queries.ts'

const MINUTE_MS = 60_000

interface StoredReports {
  versions: Map<string, string>
  texts: Map<string, number | bigint>
  minute: number
  left: number
}

interface Deps extends Pick<CommonDeps, 'db' | 'bus' | 'clock'> {
  /** The files, options or plugins of these sites have changed. */
  changed(server_id: number, domains: readonly string[]): Promise<void>
}

export class HealthReader {
  readonly #deps: Deps
  readonly #known = new Map<number, StoredReports>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Reads the health of a server and stores changes, for pages too. Throws a ServiceError. */
  async update(server: AgentAddress, agents: Pick<Agents, 'call'>): Promise<void> {
    const { db, bus, clock } = this.#deps
    const changed = await this.#read(server, agents)
    try {
      if ((await storeHealth(db, server.id, changed, timestamp(clock))) > 0)
        bus.notify(sitesTopic(server.id))
    } catch (error) {
      // Otherwise the next reading would find nothing new.
      this.forget(server.id)
      throw error
    }
  }

  /** Reads at most MAX_HEALTH_CHANGES a minute, however often an agent reports another state. */
  async #read(server: AgentAddress, agents: Pick<Agents, 'call'>): Promise<Entry[]> {
    const { entries } = await agents.call(server, siteHealthReading, {})
    const known = this.#knownOf(server.id)
    void this.#deps.changed(server.id, changedVersions(known.versions, entries))
    const changed: Entry[] = []
    const texts = new Map<string, number | bigint>()
    for (const entry of entries) {
      const text = Bun.hash(JSON.stringify(entry))
      const before = known.texts.get(entry.domain)
      const isReported = before === text || known.left <= 0
      if (!isReported) {
        known.left -= 1
        changed.push(entry)
      }
      const now = isReported ? before : text
      if (now !== undefined) texts.set(entry.domain, now)
    }
    known.texts = texts
    return changed
  }

  /** Forgets what was stored of a server, so that all of it is stored again. */
  forget(server_id: number): void {
    this.#known.get(server_id)?.texts.clear()
  }

  /** Forgets all other servers, which are deleted. */
  keep(server_ids: readonly number[]): void {
    const there = new Set(server_ids)
    for (const id of this.#known.keys()) if (!there.has(id)) this.#known.delete(id)
  }

  #knownOf(server_id: number): StoredReports {
    const now = this.#deps.clock.elapsed()
    const known = this.#known.get(server_id) ?? {
      versions: new Map(),
      texts: new Map(),
      minute: now,
      left: MAX_HEALTH_CHANGES,
    }
    if (now - known.minute > MINUTE_MS) {
      known.left = MAX_HEALTH_CHANGES
      known.minute = now
    }
    this.#known.set(server_id, known)
    return known
  }
}

/** Lists the sites whose version is another one than before, and remembers the new one. */
function changedVersions(known: Map<string, string>, entries: readonly Entry[]): string[] {
  const before = new Map(known)
  known.clear()
  return entries.flatMap(({ domain, version }) => {
    const last = before.get(domain)
    const next = version ?? last
    if (next !== undefined) known.set(domain, next)
    return last !== undefined && next !== last ? [domain] : []
  })
}
