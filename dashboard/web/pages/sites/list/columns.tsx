import type { ReactNode } from 'react'
import type { Sort } from '#dashboard/web/features/sites/search.ts'
import { UpdatesBadge } from '#dashboard/web/features/sites/updates.tsx'
import { formatRelative, formatTime } from '#dashboard/web/ui/format.ts'
import { SiteState } from '#dashboard/web/ui/health.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { FleetSite } from '#shared/overview/api/fleet.ts'

interface Column {
  name: string
  sort?: Sort
  /** From which width on it is shown. Default: always. */
  from?: string
  show: (site: FleetSite) => ReactNode
}

/** The columns after checkbox and domain, in the order of `GRID`. */
export const COLUMNS: readonly Column[] = [
  { name: 'Server', sort: 'server', show: ({ server }) => server },
  { name: 'Status', sort: 'health', show: (site) => <SiteState of={site} /> },
  {
    name: 'Requested',
    from: 'hidden 2xl:flex',
    show: ({ visited_at }) => <Time at={visited_at} none="–" />,
  },
  { name: 'WordPress', sort: 'wp_version', show: wordpress },
  { name: 'Updates', sort: 'updates', show: updates },
  { name: 'PHP', sort: 'php', from: 'hidden xl:flex', show: ({ php }) => php || '–' },
  { name: 'Tier', sort: 'tier', from: 'hidden xl:flex', show: ({ tier }) => tier ?? '–' },
  {
    name: 'TLS',
    sort: 'certificate_expires_at',
    from: 'hidden xl:flex',
    show: (site) => <Certificate of={site} />,
  },
]

/** For the headings and each row. */
export const GRID =
  'grid grid-cols-[2.5rem_minmax(0,1fr)_7rem_8rem_6.5rem_6rem] xl:grid-cols-[2.5rem_minmax(0,1fr)_8rem_8.5rem_7rem_6.5rem_4rem_5.5rem_7rem] 2xl:grid-cols-[2.5rem_minmax(0,1fr)_8rem_8.5rem_8rem_7rem_6.5rem_4rem_5.5rem_7rem]'

function wordpress({ framework, wp_version }: FleetSite): ReactNode {
  if (wp_version) return <span className="tabular-nums">{wp_version}</span>
  return <span className="text-muted">{framework === 'wordpress' ? 'unknown' : framework}</span>
}

function updates({ framework, updates }: FleetSite): ReactNode {
  if (framework !== 'wordpress') return <span className="text-muted">–</span>
  return <UpdatesBadge of={updates} />
}

const TLS_NAMES = {
  letsencrypt: "Let's Encrypt",
  'self-signed': 'self-signed',
  other: 'other',
  none: 'none',
} as const

/** By then, a certificate should have been renewed. */
const SOON_MS = 14 * 24 * 3600_000

/** The type of the certificate, and its expiry if that is soon. */
function Certificate({ of }: { of: Pick<FleetSite, 'tls' | 'certificate_expires_at'> }) {
  const now = useNow()
  const { tls, certificate_expires_at: end } = of
  const name = TLS_NAMES[tls]
  if (tls === 'none') return <span className="text-muted">{name}</span>
  if (end === '' || Date.parse(end) > now + SOON_MS)
    return <span title={end && `${name} until ${formatTime(end)}`}>{name}</span>
  const isOver = Date.parse(end) < now
  return (
    <Badge tone={isOver ? 'bad' : 'warn'} title={`${name} until ${formatTime(end)}`}>
      {isOver ? 'ended' : 'ends'} {formatRelative(end, now)}
    </Badge>
  )
}
