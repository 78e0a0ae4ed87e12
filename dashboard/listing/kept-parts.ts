import type { Database } from '#dashboard/db/client.ts'
import { breathe, piecesOf } from '#dashboard/runtime/breathe.ts'

interface Known<P> {
  version: number
  at: number
  until: number
  part: P
}

/** Of all servers, by their ids. */
type Versions = ReadonlyMap<number, number>

/** The parts of servers by their ids. */
type Compute<P, C> = (
  db: Database,
  server_ids: readonly number[],
  context: C,
) => Promise<ReadonlyMap<number, P>>

/** Servers whose parts are computed at once: other work runs in between. */
const PIECE = 20
/** How long a part is kept although nothing has changed: versions of restored records may be equal. */
const KEPT_MS = 5 * 60_000
/** Not all parts are computed again at the same time. */
const SPREAD_MS = 1_000
const SPREAD = 60

/**
 * The parts of all servers, each computed again only when its version is another one. The versions are
 * read before: a part may be newer than its version, never older. `key`: what else the parts depend on.
 * `validUntil`: the last millisecond before a time changes a part, such as the end of a certificate.
 */
export function keptParts<P, C>(
  compute: Compute<P, C>,
  validUntil: (part: P) => number = () => Number.POSITIVE_INFINITY,
) {
  const stores = new WeakMap<Database, { key: string; parts: Parts<P> }>()
  return async (
    db: Database,
    versions: Versions,
    { key = '', now, context }: { key?: string; now: Date; context: C },
  ): Promise<ReadonlyMap<number, P>> => {
    const before = stores.get(db)
    const { parts } = before?.key === key ? before : { parts: new Parts(validUntil) }
    stores.set(db, { key, parts })
    const changed = parts.changed(versions, now.getTime())
    const fresh = new Map<number, P>()
    for (const ids of piecesOf(changed, PIECE)) {
      for (const [id, part] of await compute(db, ids, context)) fresh.set(id, part)
      if (ids.length === PIECE) await breathe()
    }
    return parts.with(fresh, versions, now.getTime())
  }
}

class Parts<P> {
  readonly #known = new Map<number, Known<P>>()
  readonly #validUntil: (part: P) => number

  constructor(validUntil: (part: P) => number) {
    this.#validUntil = validUntil
  }

  /** The servers whose parts must be computed. */
  changed(versions: Versions, time: number): number[] {
    return [...versions].flatMap(([id, version]) =>
      isCurrent(this.#known.get(id), version, time) ? [] : [id],
    )
  }

  /** All parts of these versions, after those that were computed are kept. */
  with(fresh: ReadonlyMap<number, P>, versions: Versions, time: number): Map<number, P> {
    for (const [id, part] of fresh) {
      const version = versions.get(id) ?? 0
      const until = Math.min(time + KEPT_MS + (id % SPREAD) * SPREAD_MS, this.#validUntil(part))
      this.#known.set(id, { version, at: time, until, part })
    }
    const all = new Map<number, P>()
    for (const [id, { part }] of this.#known) {
      if (versions.has(id)) all.set(id, part)
      else this.#known.delete(id)
    }
    return all
  }
}

/** A clock that was set back makes no part of a later time valid. */
function isCurrent(known: Known<unknown> | undefined, version: number, time: number): boolean {
  return known?.version === version && known.at <= time && time <= known.until
}
