import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { Lasting } from '#dashboard/web/ui/time.tsx'
import type { ClientSite } from '#shared/clients/api/clients.ts'

const LOOKS: Record<ClientSite['state'], { name: string; tone: Tone }> = {
  up: { name: 'Up', tone: 'good' },
  slow: { name: 'Slow', tone: 'warn' },
  impaired: { name: 'Works, with a problem', tone: 'warn' },
  down: { name: 'Down', tone: 'bad' },
  maintenance: { name: 'In maintenance', tone: 'plain' },
  unknown: { name: 'Not known at the moment', tone: 'plain' },
}

/** The state of a site in plain words, and for how long. */
export function ClientState({ of: { state, since } }: { of: Pick<ClientSite, 'state' | 'since'> }) {
  const { name, tone } = LOOKS[state]
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge tone={tone}>
        <span aria-hidden className="size-1.5 rounded-full bg-current" />
        {name}
      </Badge>
      {since && (
        <span className="text-muted">
          <Lasting since={since} />
        </span>
      )}
    </span>
  )
}
