import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Trash2, Undo2 } from 'lucide-react'
import { messageOf } from '#dashboard/web/api/client.ts'
import type { SiteWork } from '#dashboard/web/api/site-call.ts'
import { purgeSite, startWork } from '#dashboard/web/api/site-work.ts'
import { trashQuery } from '#dashboard/web/api/sites.ts'
import { useRestore } from '#dashboard/web/features/sites/use-restore.tsx'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatBytes, formatCount } from '#dashboard/web/ui/format.ts'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { placeOf, RightsAt } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { TrashEntry } from '#shared/sites/api/sites.ts'

/** Deleted sites that can be restored. */
export function TrashPage() {
  const { data, error, refetch } = useQuery(trashQuery)
  const size = data?.reduce((sum, entry) => sum + (entry.size ?? 0), 0) ?? 0
  const about = data?.length
    ? `${formatCount(data.length, 'site')}, ${formatBytes(size)} on their servers`
    : undefined
  return (
    <Page title="Trash" about={about}>
      <Card flush>
        <QueryState of={{ data, error, refetch }} flush />
        {data?.length === 0 && (
          <Empty
            icon={<Trash2 />}
            title="The trash is empty"
            action={<ButtonLink to="/sites">Go to sites</ButtonLink>}
          >
            A deleted site moves here with its files and its database. It can be restored until it
            is permanently deleted.
          </Empty>
        )}
        {data && data.length > 0 && (
          <RecordTable
            label="Sites in the trash"
            rows={data}
            keyOf={({ id }) => id}
            columns={COLUMNS}
          />
        )}
      </Card>
    </Page>
  )
}

const COLUMNS: readonly Column<TrashEntry>[] = [
  {
    name: 'Domain',
    show: ({ id, domain, server, purge_at, status_reason }) => (
      <>
        <SiteLink id={id} className="font-medium break-words hover:underline">
          {unicodeOf(domain)}
        </SiteLink>
        <p className="text-xs text-muted lg:hidden">
          {server}
          <span className="sm:hidden">
            , permanently deleted <Time at={purge_at} none="later" />
          </span>
        </p>
        {status_reason && <p className="text-xs text-bad">{status_reason}</p>}
      </>
    ),
  },
  { name: 'Server', className: 'max-lg:hidden', show: ({ server }) => server },
  {
    name: 'Deleted',
    className: 'max-sm:hidden',
    show: ({ trashed_at }) => <Time at={trashed_at} />,
  },
  {
    name: 'Permanently deleted',
    className: 'max-sm:hidden',
    show: ({ purge_at }) => <Time at={purge_at} none="later" />,
  },
  {
    name: 'Size',
    isNumber: true,
    className: 'max-md:hidden',
    show: ({ size }) =>
      size === null ? <span className="text-muted">unknown</span> : formatBytes(size),
  },
  {
    name: 'Actions',
    isUnnamed: true,
    show: (entry) => (
      <RightsAt {...placeOf(entry)}>
        <div className="flex justify-end gap-2 max-sm:flex-col">
          {entry.status === 'trashed' ? <Choices entry={entry} /> : <Progress entry={entry} />}
        </div>
      </RightsAt>
    ),
  },
]

function Choices({ entry }: { entry: TrashEntry }) {
  const { domain, server } = entry
  const size = entry.size === null ? '' : ` (${formatBytes(entry.size)})`
  const { dialog, show } = useDialog()
  const client = useQueryClient()
  /** The list shows the work at once. */
  const start = async (work: SiteWork) => {
    await startWork(work)
    await client.invalidateQueries({ queryKey: trashQuery.queryKey })
  }
  const restore = useRestore(entry, {
    start,
    onStarted: () => toast(`Restoring ${unicodeOf(domain)}`),
    onError: (error) => toast(`${unicodeOf(domain)}: ${messageOf(error)}`, { error: true }),
  })
  return (
    <>
      <Button
        needs="operate"
        icon={<Undo2 />}
        busy={restore.isPending}
        aria-label={`Restore ${unicodeOf(domain)}`}
        onClick={restore.restore}
      >
        Restore
      </Button>
      <Button
        needs="admin"
        kind="quiet"
        aria-label={`Delete ${unicodeOf(domain)} permanently`}
        onClick={show}
      >
        Delete
      </Button>
      {restore.dialog}
      <WorkDialog
        {...dialog}
        title={`Permanently delete ${unicodeOf(domain)}?`}
        about={`The files and the database of the site${size} are permanently deleted from ${server}. They cannot be restored.`}
        site={entry}
        work={purgeSite(entry)}
        action="Delete permanently"
        isPermanent
        start={start}
      />
    </>
  )
}

/** It is being restored or deleted: the link leads to its operation. */
function Progress({ entry: { id, status } }: { entry: TrashEntry }) {
  return (
    <SiteLink id={id} className="self-center">
      <Status value={status === 'deleting' ? 'deleting permanently' : 'restoring'} tone="busy" />
    </SiteLink>
  )
}
