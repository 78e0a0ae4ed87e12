import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes } from 'react'
import type { Fleet } from '#dashboard/web/api/fleet.ts'
import { formatNumber } from '#dashboard/web/ui/format.ts'

/** The counts of the fleet; each links to its list. */
export function Counts({ fleet: { servers, counts } }: { fleet: Fleet }) {
  const { trashed = 0, ...sites } = counts.sites
  const { failed: _, ...active } = counts.operations
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Tile to="/servers" name="Servers" value={servers.length} parts={counts.servers} />
      <Tile
        to="/sites"
        name="Sites"
        value={sum(sites)}
        parts={{ ...sites, ...unwell(counts.health), 'in trash': trashed }}
      />
      <Tile
        to="/sites"
        search={{ status: 'active', updates: 'true' }}
        name="Sites with updates"
        value={counts.updates}
        parts={{ unknown: counts.updates_unknown }}
      />
      <Tile
        to="/operations"
        search={{ status: 'queued,running' }}
        name="Running operations"
        value={sum(active)}
        parts={{ queued: counts.operations.queued ?? 0 }}
      />
    </div>
  )
}

const unwell = ({ down = 0, degraded = 0 }: Record<string, number>) => ({ down, degraded })

const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)

interface TileProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  name: string
  value: number
  parts: Record<string, number>
}

function TileAnchor({ name, value, parts, ...rest }: TileProps) {
  const nonzero = Object.entries(parts).filter(([, count]) => count > 0)
  return (
    <a
      {...rest}
      className="rounded-xl border border-line bg-surface px-4 py-3 transition hover:border-line-strong"
    >
      <span className="block text-xs text-muted">{name}</span>
      <span className="block text-2xl font-semibold tracking-tight tabular-nums">
        {formatNumber(value)}
      </span>
      <span className="block min-h-4 text-xs text-muted tabular-nums">
        {nonzero.map(([part, count]) => `${formatNumber(count)} ${part}`).join(' · ')}
      </span>
    </a>
  )
}

const Tile = createLink(TileAnchor)
