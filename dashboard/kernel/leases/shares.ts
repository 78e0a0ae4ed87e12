/** The number of shares of the work of servers, whatever the number of dashboards is. */
const SHARES = 16

/** The work that belongs to no server: bulk operations, and scheduled work. */
export const FLEET = 'fleet'

/** The share of a server: its syncs, operations, metrics and health. */
export const shareOf = (server_id: number): string => `servers ${server_id % SHARES}`

export const NAMES: readonly string[] = [
  FLEET,
  ...Array.from({ length: SHARES }, (_, share) => shareOf(share)),
]

/** Returns the name of the row of a dashboard itself: others count it. */
export const memberOf = (holder: string): string => `dashboard ${holder}`
const MEMBER = memberOf('')

/** A lease; it has expired when `left_ms` is 0. */
export interface LeaseRow {
  name: string
  holder: string
  token: number
  left_ms: number
}

export const isShare = ({ name }: LeaseRow): boolean => !name.startsWith(MEMBER)

export interface LeasePlan {
  acquire: string[]
  release: string[]
}

/** Plans the shares to acquire and to release, so that each dashboard has as many as others. */
export function leasePlanOf(rows: readonly LeaseRow[], holder: string): LeasePlan {
  const live = rows.filter(({ left_ms }) => left_ms > 0)
  const members = live.filter((row) => !isShare(row)).map((row) => row.holder)
  const all = [...new Set([...members, holder])].sort()
  const place = all.indexOf(holder)
  const fair = Math.floor(NAMES.length / all.length) + (place < NAMES.length % all.length ? 1 : 0)
  const taken = new Map(live.map((row) => [row.name, row.holder]))
  const mine = NAMES.filter((name) => taken.get(name) === holder)
  const free = NAMES.filter((name) => !taken.has(name))
  // Each begins at another place, so that two of them seldom want the same.
  const from = Math.ceil((free.length * place) / all.length)
  const ordered = [...free.slice(from), ...free.slice(0, from)]
  return {
    acquire: ordered.slice(0, Math.max(0, fair - mine.length)),
    release: mine.slice(fair),
  }
}
