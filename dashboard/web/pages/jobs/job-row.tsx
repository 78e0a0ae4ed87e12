import { useMutation } from '@tanstack/react-query'
import { FileText, Pencil, Play, Trash2 } from 'lucide-react'
import { type CronJob, runCronJob, setCronJobs } from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Cell } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { draftOf, inputOf } from './draft.ts'
import { JobOutput } from './job-output.tsx'
import { RunBadge } from './run-badge.tsx'
import { scheduleName } from './schedules.ts'

interface JobRowProps {
  site: Site
  jobs: readonly CronJob[]
  job: CronJob
  stopped: boolean
  onEdit: () => void
}

export function JobRow({ site, jobs, job, stopped, onEdit }: JobRowProps) {
  const output = useDialog()
  const removal = useDialog()
  const isOffline = useServerOffline(site)
  const start = useStart(site.id)
  const run = useMutation({
    mutationFn: () => start(runCronJob(site, job.name)),
    onError: toastError,
  })
  const others = jobs.filter(({ name }) => name !== job.name)
  const { last_run } = job
  return (
    <tr>
      <Cell>
        <span className="font-medium">{job.name}</span>
        <p className="min-w-48 max-w-80 font-mono text-xs break-all text-muted">{job.command}</p>
      </Cell>
      <Cell>{job.enabled ? scheduleName(job.schedule) : 'on request'}</Cell>
      <Cell>
        <Time at={job.next_run_at} none="–" />
      </Cell>
      <Cell>
        {last_run ? (
          <>
            <RunBadge run={last_run} />
            <p className="text-xs text-muted">
              <Time at={last_run.started_at} />
              {last_run.seconds !== null && `, ${last_run.seconds.toFixed(1)} s`}
              {job.failures > 1 && `, failed ${job.failures} times in a row`}
            </p>
          </>
        ) : (
          <span className="text-muted">has not run</span>
        )}
      </Cell>
      <Cell>
        <div className="flex justify-end gap-2">
          <Button
            icon={<Play />}
            aria-label={`Run ${job.name} now`}
            busy={run.isPending}
            disabled={isOffline || stopped || run.isPending || last_run?.result === 'running'}
            onClick={() => run.mutate()}
          >
            Run now
          </Button>
          <Menu name={`More actions of ${job.name}`}>
            <MenuItem icon={<FileText />} onClick={output.show}>
              Show output…
            </MenuItem>
            <MenuItem icon={<Pencil />} disabled={isOffline} onClick={onEdit}>
              Edit job…
            </MenuItem>
            <MenuItem icon={<Trash2 />} danger disabled={isOffline} onClick={removal.show}>
              Remove job…
            </MenuItem>
          </Menu>
        </div>
        <JobOutput {...output.dialog} site={site} name={job.name} />
        <WorkDialog
          {...removal.dialog}
          title={`Remove ${job.name}`}
          about="It does not run again. If it is running, it is ended."
          site={site}
          work={setCronJobs(site, others.map(draftOf).map(inputOf))}
          action="Remove job"
          isDestructive
        />
      </Cell>
    </tr>
  )
}
