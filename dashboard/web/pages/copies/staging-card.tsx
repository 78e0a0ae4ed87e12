import { useQuery } from '@tanstack/react-query'
import { ArrowRightLeft, ExternalLink, RefreshCw, Upload } from 'lucide-react'
import { useState } from 'react'
import { siteBackupsQuery } from '#dashboard/web/api/backups.ts'
import { refreshStaging } from '#dashboard/web/api/copies.ts'
import { moveSite } from '#dashboard/web/api/moves.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { SourceChoice } from '#dashboard/web/features/copies/choices.tsx'
import { type Chosen, fromOf } from '#dashboard/web/features/copies/origin.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { urlsOf } from '#dashboard/web/features/sites/urls.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { PushStaging } from '#dashboard/web/pages/copies/push/push-staging.tsx'
import { Button, ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { placeOf, RightsAt, useMay } from '#dashboard/web/ui/rights.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteCopy } from '#shared/copies/api/copies.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { StagingAccess } from './access.tsx'

const LINK = 'font-medium text-accent hover:underline'

interface Live {
  id: number
  server_id: number
  domain: string
}

interface StagingCardProps {
  staging: SiteCopy
  /** The live site that was copied; null when it was deleted. */
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
              <SiteLink id={id} server_id={server_id} className={LINK}>
                {unicodeOf(domain)}
              </SiteLink>
            ),
            'Live site': live ? (
              <SiteLink id={live.id} server_id={live.server_id} className={LINK}>
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
        <RightsAt {...placeOf(staging)}>
          <StagingAccess site={staging} />
          {live && isServed && <StagingActions staging={staging} live={live} />}
        </RightsAt>
      </div>
    </Card>
  )
}

/** From the live site to the staging site, and back. */
function StagingActions({ staging, live }: { staging: SiteCopy; live: Live }) {
  const refresh = useDialog()
  const push = useDialog()
  const move = useDialog()
  const isNear = staging.server_id === live.server_id
  const may = useMay()
  if (!may('operate', placeOf(live))) return null
  return (
    <>
      <AccessRow
        name="Refresh from live"
        about="Replaces the files and the database of the staging site."
      >
        <Button needs="operate" icon={<RefreshCw />} onClick={refresh.show}>
          Refresh from live
        </Button>
      </AccessRow>
      <AccessRow
        name="Push to live"
        about={
          isNear
            ? 'Compares both sites first. You choose files and tables.'
            : 'Needs both sites on one server: move the staging site to the server of its live site first.'
        }
      >
        {isNear ? (
          <Button needs="operate" icon={<Upload />} onClick={push.show}>
            Push to live
          </Button>
        ) : (
          may('operate', { server_id: live.server_id }) && (
            <Button
              needs="operate"
              icon={<ArrowRightLeft />}
              disabled={staging.status !== 'active'}
              onClick={move.show}
            >
              Move to live server
            </Button>
          )
        )}
      </AccessRow>
      <RefreshStaging {...refresh.dialog} staging={staging} live={live} />
      <PushStaging {...push.dialog} staging={staging} live={live} />
      <MoveToLive {...move.dialog} staging={staging} live={live} />
    </>
  )
}

/** Moves a staging site to the server of its live site, where the two can be compared. */
function MoveToLive({ staging, live, ...dialog }: DialogState & { staging: SiteCopy; live: Live }) {
  return (
    <WorkDialog
      {...dialog}
      title={`Move ${unicodeOf(staging.domain)} to the server of ${unicodeOf(live.domain)}`}
      about="The staging site keeps its address, password, files and database, with all changes made on it."
      site={staging}
      work={moveSite(staging, live.server_id)}
      action="Move staging site"
    >
      <Notice kind="info" title={`${staging.server} forwards visitors until you confirm the move`}>
        You can push as soon as the move ends. Change DNS when it suits you, and confirm the move
        after that.
      </Notice>
    </WorkDialog>
  )
}

interface RefreshStagingProps extends DialogState {
  staging: SitePlace & { domain: string }
  live: SitePlace & { domain: string }
}

/** Replaces the files and the database of a staging site by those of its live site. */
function RefreshStaging({ staging, live, ...dialog }: RefreshStagingProps) {
  const { data } = useQuery({ ...siteBackupsQuery(live), enabled: dialog.open })
  const [chosen, setChosen] = useState<Chosen>('now')
  const origin = { domain: live.domain, site: live, backups: data?.backups ?? [] }
  const from = fromOf(origin, chosen)
  return (
    <WorkDialog
      {...dialog}
      title={`Refresh ${unicodeOf(staging.domain)}`}
      about={`Its files and its database become those of ${unicodeOf(live.domain)}. Address and password stay.`}
      site={staging}
      work={from && refreshStaging(staging, from)}
      action="Refresh staging site"
      isDestructive
    >
      <SourceChoice origin={origin} value={chosen} onChange={setChosen} />
      <Notice kind="warn" title="Changes that were made on the staging site are replaced">
        Everything is copied first. Then the staging site pauses for a moment. The previous state is
        kept on the server for a week, and the refresh can be undone until then.
      </Notice>
    </WorkDialog>
  )
}
