import { useMutation, useQuery } from '@tanstack/react-query'
import { CalendarClock, FileText, Pencil, Play, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  type CronJob,
  cronJobsQuery,
  jobOutputQuery,
  runCronJob,
  setCronJobs,
} from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog, DialogFooter, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { usePaused } from '#dashboard/web/ui/use-paused.ts'
import { MAX_JOBS, SiteJob } from '#shared/jobs/site-jobs.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { type Draft, draftOf, inputOf, mistakesOf } from './draft.ts'
import { JobFields } from './job-fields.tsx'
import { RunBadge } from './run-badge.tsx'
import { scheduleName } from './schedules.ts'
import { Stopped } from './stopped.tsx'

/** The cron jobs of a site with their next and last runs. */
export function CronJobsCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(cronJobsQuery(site))
  const { dialog, show } = useDialog()
  const [edited, setEdited] = useState<CronJob>()
  const isOffline = useServerOffline(site)
  const edit = (job?: CronJob) => {
    setEdited(job)
    show()
  }
  const isFull = (data?.jobs.length ?? 0) >= MAX_JOBS
  const add = (
    <Button icon={<Plus />} disabled={isOffline || isFull} onClick={() => edit()}>
      Add job
    </Button>
  )
  return (
    <Card title="Cron jobs" flush actions={data && data.jobs.length > 0 && add}>
      <QueryState of={{ data, error, refetch }} flush />
      {data && <Stopped reason={data.stopped} />}
      {data?.jobs.length === 0 && (
        <Empty icon={<CalendarClock />} title="No cron jobs" action={add}>
          A cron job runs a command on a schedule, such as an import or a report. The events of
          WordPress run without one.
        </Empty>
      )}
      {data && data.jobs.length > 0 && (
        <Table label="Cron jobs" head={HEAD}>
          {data.jobs.map((job) => (
            <JobRow
              key={job.name}
              site={site}
              jobs={data.jobs}
              job={job}
              stopped={data.stopped !== null}
              onEdit={() => edit(job)}
            />
          ))}
        </Table>
      )}
      {data && dialog.open && <EditJob {...dialog} site={site} jobs={data.jobs} job={edited} />}
    </Card>
  )
}

const HEAD = (
  <>
    <Head>Job</Head>
    <Head>Schedule (UTC)</Head>
    <Head>Next run</Head>
    <Head>Last run</Head>
    <Head className="text-right">Actions</Head>
  </>
)

const PAUSE_MS = 500

interface EditJobProps extends DialogState {
  site: Site
  jobs: readonly CronJob[]
  /** The cron job to edit; undefined for a new one. */
  job: CronJob | undefined
}

/** One job of the list; the plan follows a pause in typing. */
function EditJob({ site, jobs, job, ...dialog }: EditJobProps) {
  const [draft, setDraft] = useState(() => draftOf(job))
  const others = jobs.filter(({ name }) => name !== job?.name)
  const mistakes = mistakesOf(draft, others)
  const checked = SiteJob.safeParse(inputOf(draft))
  const text = JSON.stringify(draft)
  const isPaused = usePaused(text, PAUSE_MS) === text
  const isReady = isPaused && checked.success && mistakes.name === undefined
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const list = checked.success ? listWith(jobs, job, checked.data) : []
  return (
    <WorkDialog
      {...dialog}
      title={job ? `Edit ${job.name}` : 'Add cron job'}
      about={`It runs as the user of ${unicodeOf(site.domain)}, confined like its PHP.`}
      site={site}
      work={isReady ? setCronJobs(site, list) : undefined}
      action={job ? 'Save job' : 'Add job'}
    >
      <JobFields draft={draft} mistakes={mistakes} onChange={change} />
    </WorkDialog>
  )
}

/** The job in its place, or at the end. */
function listWith(jobs: readonly CronJob[], before: CronJob | undefined, job: SiteJob): SiteJob[] {
  const list = jobs.map((each) => (each.name === before?.name ? job : inputOf(draftOf(each))))
  return before ? list : [...list, job]
}

interface JobRowProps {
  site: Site
  jobs: readonly CronJob[]
  job: CronJob
  stopped: boolean
  onEdit: () => void
}

function JobRow({ site, jobs, job, stopped, onEdit }: JobRowProps) {
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

/** What the last run of a job printed. */
function JobOutput({ site, name, ...dialog }: DialogState & { site: Site; name: string }) {
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
