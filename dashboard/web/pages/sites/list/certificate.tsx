import { formatRelative, formatTime } from '#dashboard/web/ui/format.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { useNow } from '#dashboard/web/ui/time.tsx'
import type { FleetSite } from '#shared/api/fleet.ts'

const TLS_NAMES = {
  letsencrypt: "Let's Encrypt",
  'self-signed': 'self-signed',
  other: 'another authority',
  none: 'none',
} as const

/** By then, a certificate should have been renewed. */
const SOON_MS = 14 * 24 * 3600_000

/** The type of the certificate, and its expiry if that is soon. */
export function Certificate({ of }: { of: Pick<FleetSite, 'tls' | 'certificate_expires_at'> }) {
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
