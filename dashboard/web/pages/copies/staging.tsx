import { FlaskConical, Plus } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { CloneSite } from '#dashboard/web/features/copies/clone-site.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteCopy } from '#shared/copies/api/copies.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { StagingCard } from './staging-card.tsx'

/** The staging sites and other copies of a site; of a staging site, its own protection. */
export function StagingTab({ site }: { site: Site }) {
  const others = site.copies.filter(({ staging }) => !staging)
  return (
    <div className="flex flex-col gap-5">
      {site.staging ? (
        <StagingCard staging={site} live={site.copy_of} title="Staging site" />
      ) : (
        <StagingSites site={site} />
      )}
      {others.length > 0 && <OtherCopies copies={others} />}
    </div>
  )
}

function StagingSites({ site }: { site: Site }) {
  const { dialog, show } = useDialog()
  // The copy is a new site of a server.
  const mayCopy = useMay()('operate', 'servers')
  const stagings = site.copies.filter(({ staging }) => staging)
  return (
    <>
      {stagings.map((staging) => (
        <StagingCard key={staging.id} staging={staging} live={site} />
      ))}
      {stagings.length === 0 ? (
        <Card>
          <Empty
            icon={<FlaskConical />}
            title="No staging site"
            action={
              mayCopy && (
                <Button needs="operate" kind="primary" icon={<Plus />} onClick={show}>
                  Create staging site
                </Button>
              )
            }
          >
            A staging site is a protected copy of this site with an address of its own. Try updates,
            themes and code on it first, then push what works to the live site.
          </Empty>
        </Card>
      ) : (
        mayCopy && (
          <Button needs="operate" icon={<Plus />} onClick={show} className="self-start">
            Create another staging site
          </Button>
        )
      )}
      <CloneSite site={site} staging {...dialog} />
    </>
  )
}

const LINK = 'font-medium text-accent hover:underline'

/** Copies of a site that are live sites of their own. */
const OtherCopies = ({ copies }: { copies: readonly SiteCopy[] }) => (
  <Card title="Other copies" flush>
    <RecordTable
      label="Other copies"
      rows={copies}
      keyOf={({ id }) => id}
      columns={[
        {
          name: 'Site',
          className: 'break-all',
          show: ({ id, server_id, domain }) => (
            <SiteLink id={id} server_id={server_id} className={LINK}>
              {unicodeOf(domain)}
            </SiteLink>
          ),
        },
        {
          name: 'Server',
          className: 'max-sm:hidden',
          show: ({ server_id, server }) => (
            <ServerLink id={server_id} className={LINK}>
              {server}
            </ServerLink>
          ),
        },
        { name: 'Status', show: ({ status }) => <Status value={status} /> },
        { name: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  </Card>
)
