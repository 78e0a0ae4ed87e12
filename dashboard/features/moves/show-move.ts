import type { Database } from '#dashboard/kernel/db/client.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { addressesOf } from '#dashboard/kernel/targets/addresses.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { OpenMove, ShownMove } from '#shared/moves/api/moves.ts'
import { isUndecided } from './move-state.ts'
import { findUnconfirmed } from './queries.ts'
import { listUnfinishedMoves } from './unfinished-moves.queries.ts'

export async function showMove(
  { db }: { db: Database },
  { site, server }: SiteTarget,
): Promise<ShownMove> {
  const move = await findUnconfirmed(db, site.id)
  const open = await showUnfinished(db, site.id)
  if (!move) return { move, open, dns: 'unknown', addresses: [], wanted: [] }
  const other = await getServer(db, move.other_id)
  const [addresses, wanted, former] = await Promise.all(
    [site.domain, server.hostname, other.hostname].map(addressesOf),
  )
  return {
    move,
    open,
    dns: dnsOf(addresses ?? [], wanted ?? [], former ?? []),
    addresses: addresses ?? [],
    wanted: wanted ?? [],
  }
}

async function showUnfinished(db: Database, site_id: number): Promise<OpenMove | null> {
  const [found] = await listUnfinishedMoves(db, site_id)
  if (!found) return null
  const { row, operation, next_at } = found
  const { error } = operation
  const other = await getServer(db, row.other_id)
  return {
    other: other.name,
    operation_id: operation.id,
    reason: error?.message ?? error?.error ?? '',
    undecided: isUndecided(row),
    next_at,
  }
}

function dnsOf(
  found: readonly string[],
  wanted: readonly string[],
  former: readonly string[],
): ShownMove['dns'] {
  if (found.length === 0 || wanted.length === 0) return 'unknown'
  const [isNew, isFormer] = [wanted, former].map((all) => found.some((one) => all.includes(one)))
  if (isNew && isFormer) return 'both'
  if (isNew) return 'new'
  return isFormer ? 'former' : 'elsewhere'
}
