import { cx } from '#dashboard/web/ui/cx.ts'
import { formatMegabytes, formatShare } from '#dashboard/web/ui/format.ts'
import { Meter, toneOf } from '#dashboard/web/ui/meter.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { shareOf } from './arrange.ts'

type Read = Pick<FleetServer, 'status' | 'metrics'>

/** The last readings of an offline server say nothing about the present. */
const isOld = ({ status }: Read) => status !== 'online'

export function CpuMeter({ server }: { server: Read }) {
  const { metrics } = server
  if (!metrics) return <Unknown />
  const [one, five, fifteen] = metrics.load
  return (
    <Meter
      share={metrics.cpu / 100}
      about={`Load ${one}, ${five}, ${fifteen} over 1, 5 and 15 minutes`}
      isOld={isOld(server)}
      className="w-22"
    />
  )
}

interface SpaceMeterProps {
  server: Read
  space: { used: number; total: number } | undefined
}

/** The used share of memory or disk. */
export function SpaceMeter({ server, space }: SpaceMeterProps) {
  const share = shareOf(space)
  if (!space || share === undefined) return <Unknown />
  return (
    <Meter
      share={share}
      about={`${formatMegabytes(space.used)} of ${formatMegabytes(space.total)}`}
      isOld={isOld(server)}
      className="w-22"
    />
  )
}

const Unknown = () => <span className="text-muted">–</span>

/** The same in one line, for a phone. */
export function ShortReading({ server, className }: { server: FleetServer; className?: string }) {
  const { metrics } = server
  if (!metrics) return null
  const shares = { CPU: metrics.cpu / 100, Mem: shareOf(metrics.ram), Disk: shareOf(metrics.disk) }
  return (
    <div className={cx('flex flex-wrap gap-x-2 text-xs text-muted tabular-nums', className)}>
      {Object.entries(shares).map(([name, share = 0]) => (
        <span key={name} className={toneOf(share) === 'bad' ? 'font-semibold text-bad' : ''}>
          {name} {formatShare(share)}
        </span>
      ))}
    </div>
  )
}
