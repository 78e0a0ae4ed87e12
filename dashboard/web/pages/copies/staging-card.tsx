import { ExternalLink } from 'lucide-react'
import { urlsOf } from '#dashboard/web/features/sites/urls.ts'
import { ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteCopy } from '#shared/copies/api/copies.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { StagingAccess } from './access.tsx'
import { StagingActions } from './actions.tsx'

const LINK = 'font-medium text-accent hover:underline'

export interface Live {
  id: number
  server_id: number
  domain: string
}

interface StagingCardProps {
  staging: SiteCopy
  /** Null: it was deleted. */
  live: Live | null
  /** Default: its domain. */
  title?: string
}

/** A staging site with its access. */
export function StagingCard({ staging, live, title = staging.domain }: StagingCardProps) {
  const { id, domain, server, server_id, status, created_at } = staging
  const isServed = status === 'active' || status === 'suspended'
  return (
    <Card
      title={title}
      actions={
        isServed && (
          <ButtonAnchor href={urlsOf(staging).home} target="_blank" rel="noreferrer">
            Visit site
            <ExternalLink className="text-muted" aria-label="in a new tab" />
          </ButtonAnchor>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Facts
          of={{
            'Staging site': (
              <SiteLink id={id} className={LINK}>
                {unicodeOf(domain)}
              </SiteLink>
            ),
            'Live site': live ? (
              <SiteLink id={live.id} className={LINK}>
                {unicodeOf(live.domain)}
              </SiteLink>
            ) : (
              'Deleted'
            ),
            Status: <Status value={status} />,
            Server: (
              <ServerLink id={server_id} className={LINK}>
                {server}
              </ServerLink>
            ),
            Created: <Time at={created_at} />,
          }}
        />
        <StagingAccess site={staging} />
        {live && isServed && <StagingActions staging={staging} live={live} />}
      </div>
    </Card>
  )
}
