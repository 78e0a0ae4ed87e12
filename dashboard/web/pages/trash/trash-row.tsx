import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { purgeSite } from '#dashboard/web/api/site-work.ts'
import { useRestore } from '#dashboard/web/features/sites/use-restore.tsx'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Cell } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { TrashEntry } from '#shared/api/sites.ts'
import { useLeave } from './use-leave.ts'

/** One site in the trash, with restore and permanent deletion. */
export function TrashRow({ entry }: { entry: TrashEntry }) {
  const { id, domain, server, status, status_reason, trashed_at, purge_at, size } = entry
  const isWaiting = status === 'trashed'
  return (
    <tr>
      <Cell>
        <SiteLink id={id} className="font-medium break-words hover:underline">
          {domain}
        </SiteLink>
        <p className="text-xs text-muted lg:hidden">
          {server}
          <span className="sm:hidden">
            , permanently deleted <Time at={purge_at} none="later" />
          </span>
        </p>
        {status_reason && <p className="text-xs text-bad">{status_reason}</p>}
      </Cell>
      <Cell className="max-lg:hidden">{server}</Cell>
      <Cell className="max-sm:hidden">
        <Time at={trashed_at} />
      </Cell>
      <Cell className="max-sm:hidden">
        <Time at={purge_at} none="later" />
      </Cell>
      <Cell className="text-right whitespace-nowrap tabular-nums max-md:hidden">
        {size === null ? <span className="text-muted">unknown</span> : formatBytes(size)}
      </Cell>
      <Cell>
        <div className="flex justify-end gap-2 max-sm:flex-col">
          {isWaiting ? <WaysOut entry={entry} /> : <Leaving entry={entry} />}
        </div>
      </Cell>
    </tr>
  )
}

function WaysOut({ entry }: { entry: TrashEntry }) {
  const { domain, server } = entry
  const size = entry.size === null ? '' : ` (${formatBytes(entry.size)})`
  const [isAsking, setAsking] = useState(false)
  const leave = useLeave()
  const { restore, isPending, dialog } = useRestore(entry, {
    start: leave.mutateAsync,
    ...told(domain),
  })
  const purge = useLeave()
  return (
    <>
      <Button icon={<Undo2 />} busy={isPending} aria-label={`Restore ${domain}`} onClick={restore}>
        Restore
      </Button>
      <Button
        kind="quiet"
        aria-label={`Delete ${domain} permanently`}
        onClick={() => setAsking(true)}
      >
        Delete
      </Button>
      {dialog}
      <WorkDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Permanently delete ${domain}?`}
        about={`The files and the database of the site${size} are permanently deleted from ${server}. They cannot be restored.`}
        site={entry}
        work={purgeSite(entry)}
        action="Delete permanently"
        isPermanent
        start={purge.mutateAsync}
      />
    </>
  )
}

const told = (domain: string) => ({
  onStarted: () => toast(`Restoring ${domain}`),
  onError: (error: unknown) => toast(`${domain}: ${messageOf(error)}`, { error: true }),
})

/** It is being restored or deleted: the link leads to its operation. */
function Leaving({ entry }: { entry: TrashEntry }) {
  return (
    <SiteLink id={entry.id} className="self-center">
      <Status
        value={entry.status === 'deleting' ? 'deleting permanently' : 'restoring'}
        tone="busy"
      />
    </SiteLink>
  )
}
