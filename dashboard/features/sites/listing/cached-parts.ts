import type { Database } from '#dashboard/kernel/db/client.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'

interface CachedPart<P> {
  version: number
  at: number
  until: number
  part: P
}

type Versions = ReadonlyMap<number, number>

type ComputeParts<P, C> = (
  db: Database,
  server_ids: readonly number[],
  context: C,
) => Promise<ReadonlyMap<number, P>>

/** The number of servers whose parts are computed at once: other work runs in between. */
const PIECE = 20

/**
 * Caches the parts of all servers, each computed again only when its version is another one. The
 * versions are read before: a part may be newer than its version, never older. `key` is what else
 * the parts depend on. `validUntil` returns the last millisecond before a time changes a part, such
 * as the end of a certificate.
 */
export function cachedParts<P, C>(
  compute: ComputeParts<P, C>,
  validUntil: (part: P) => number = () => Number.POSITIVE_INFINITY,
) {
  const stores = new WeakMap<Database, { key: string; parts: ReadonlyMap<number, CachedPart<P>> }>()
  return async (
    db: Database,
    versions: Versions,
    { key = '', now, context }: { key?: string; now: Date; context: C },
  ): Promise<ReadonlyMap<number, P>> => {
    const store = stores.get(db)
    const at = now.getTime()
    const parts = new Map(
      [...(store?.key === key ? store.parts : [])].filter(([id, known]) =>
        isCurrent(known, versions.get(id), at),
      ),
    )
    const changed = [...versions.keys()].filter((id) => !parts.has(id))
    for (const ids of chunksOf(changed, PIECE)) {
      for (const [id, part] of await compute(db, ids, context))
        parts.set(id, { version: versions.get(id) ?? 0, at, until: validUntil(part), part })
      if (ids.length === PIECE) await yieldToEventLoop()
    }
    stores.set(db, { key, parts })
    return new Map([...parts].map(([id, { part }]) => [id, part]))
  }
}

/** Whether a part is current; a clock that was set back makes no later one valid. */
function isCurrent(
  { at, until, ...known }: CachedPart<unknown>,
  version: number | undefined,
  time: number,
) {
  return known.version === version && at <= time && time <= until
}
