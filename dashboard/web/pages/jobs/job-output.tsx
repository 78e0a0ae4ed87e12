import { useQuery } from '@tanstack/react-query'
import { jobOutputQuery } from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Dialog, DialogFooter, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { RunBadge } from './run-badge.tsx'

/** What the last run of a job printed. */
export function JobOutput({ site, name, ...dialog }: DialogState & { site: Site; name: string }) {
  return (
    <Dialog {...dialog} wide title={`Last run of ${name}`}>
      {dialog.open && <Output site={site} name={name} />}
      <DialogFooter onCancel={dialog.onClose} cancel="Close" />
    </Dialog>
  )
}

function Output({ site, name }: { site: Site; name: string }) {
  const { data, error, refetch } = useQuery(jobOutputQuery(site, name))
  return (
    <>
      <QueryState of={{ data, error, refetch }} />
      {data?.run && (
        <p>
          <RunBadge run={data.run} /> <Time at={data.run.started_at} />
        </p>
      )}
      {data && (
        <pre className="max-h-96 overflow-auto rounded-md bg-sunken p-3 text-xs whitespace-pre-wrap break-words">
          {data.output || 'It printed nothing.'}
        </pre>
      )}
    </>
  )
}
