import type { Health } from '#shared/health/api/health.ts'
import type { HealthState } from '#shared/kernel/values.ts'
import { formatRelative } from './format.ts'
import { Badge, Status, type Tone } from './status.tsx'
import { useNow } from './time.tsx'

const LOOKS: Record<HealthState, { name: string; tone: Tone }> = {
  up: { name: 'Up', tone: 'good' },
  degraded: { name: 'Degraded', tone: 'warn' },
  down: { name: 'Down', tone: 'bad' },
  unknown: { name: 'Unknown', tone: 'plain' },
}

export const nameOfHealth = (state: HealthState): string => LOOKS[state].name

/** The health of a site, with the reason on hover. */
export function HealthBadge({ state, reason = '' }: { state: HealthState; reason?: string }) {
  const { name, tone } = LOOKS[state]
  return (
    <Badge tone={tone} title={reason}>
      <span aria-hidden className="size-1.5 rounded-full bg-current" />
      {name}
    </Badge>
  )
}

/**
 * The state of a site: the health of one in use, the status of any other. The reason, and when the site was last requested from outside, are on hover.
 */
export function SiteState({
  of: { status, found, health, health_reason, visited_at },
}: {
  of: Pick<Health, 'health' | 'health_reason'> & {
    status: string
    found: boolean
    visited_at: string | null
  }
}) {
  const now = useNow()
  if (health === null && found && status === 'active')
    return <Badge title="Its agent has not checked the site">Not checked</Badge>
  if (health === null) return <Status value={status} />
  const requested = visited_at && `Requested ${formatRelative(visited_at, now)}`
  const reason = [health_reason, requested].filter(Boolean).join('. ')
  return <HealthBadge state={health} reason={reason} />
}

export function NotManaged() {
  return <Badge title="Found on its server, not created by Hosting Control">not managed</Badge>
}
