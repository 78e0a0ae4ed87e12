import { useQuery } from '@tanstack/react-query'
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
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useAction } from '#dashboard/web/ui/use-call.ts'
import { useDebounced } from '#dashboard/web/ui/use-debounced.ts'
import { MAX_JOBS, SiteJob } from '#shared/jobs/site-jobs.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { type Draft, draftOf, inputOf, mistakesOf } from './draft.ts'
import { JobFields } from './job-fields.tsx'
import { RunBadge } from './run-badge.tsx'
import { scheduleName } from './schedules.ts'
import { StoppedNotice } from './stopped-notice.tsx'

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
    <Button needs="admin" icon={<Plus />} disabled={isOffline || isFull} onClick={() => edit()}>
      Add job
    </Button>
  )
  return (
    <Card title="Cron jobs" flush actions={data && data.jobs.length > 0 && add}>
      <QueryState of={{ data, error, refetch }} flush />
      {data && <StoppedNotice reason={data.stopped} />}
      {data?.jobs.length === 0 && (
        <Empty icon={<CalendarClock />} title="No cron jobs" action={add}>
          A cron job runs a command on a schedule, such as an import or a report. The events of
          WordPress run without one.
        </Empty>
      )}
      {data && data.jobs.length > 0 && (
        <RecordTable
          label="Cron jobs"
          rows={data.jobs}
          keyOf={({ name }) => name}
          columns={[
            ...COLUMNS,
            {
              name: 'Actions',
              className: 'text-right',
              show: (job) => (
                <JobActions
                  site={site}
                  jobs={data.jobs}
                  job={job}
                  isStopped={data.stopped !== null}
                  onEdit={() => edit(job)}
                />
              ),
            },
          ]}
        />
      )}
      {data && dialog.open && <EditJob {...dialog} site={site} jobs={data.jobs} job={edited} />}
    </Card>
  )
}

const COLUMNS: readonly Column<CronJob>[] = [
  {
    name: 'Job',
    show: ({ name, command }) => (
      <>
        <span className="font-medium">{name}</span>
        <p className="min-w-48 max-w-80 font-mono text-xs break-all text-muted">{command}</p>
      </>
    ),
  },
  {
    name: 'Schedule (UTC)',
    show: ({ enabled, schedule }) => (enabled ? scheduleName(schedule) : 'on request'),
  },
  { name: 'Next run', show: ({ next_run_at }) => <Time at={next_run_at} none="–" /> },
  { name: 'Last run', show: (job) => <LastRun job={job} /> },
]

function LastRun({ job: { last_run, failures } }: { job: CronJob }) {
  if (!last_run) return <span className="text-muted">has not run</span>
  return (
    <>
      <RunBadge run={last_run} />
      <p className="text-xs text-muted">
        <Time at={last_run.started_at} />
        {last_run.seconds !== null && `, ${last_run.seconds.toFixed(1)} s`}
        {failures > 1 && `, failed ${failures} times in a row`}
      </p>
    </>
  )
}

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
  const isPaused = useDebounced(text, PAUSE_MS) === text
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

interface JobActionsProps {
  site: Site
  jobs: readonly CronJob[]
  job: CronJob
  isStopped: boolean
  onEdit: () => void
}

function JobActions({ site, jobs, job, isStopped, onEdit }: JobActionsProps) {
  const output = useDialog()
  const removal = useDialog()
  const isOffline = useServerOffline(site)
  const start = useStart(site.id)
  const { run, isBusy } = useAction(() => start(runCronJob(site, job.name)))
  const others = jobs.filter(({ name }) => name !== job.name)
  return (
    <>
      <div className="flex justify-end gap-2">
        <Button
          needs="operate"
          icon={<Play />}
          aria-label={`Run ${job.name} now`}
          busy={isBusy}
          disabled={isOffline || isStopped || job.last_run?.result === 'running'}
          onClick={() => run()}
        >
          Run now
        </Button>
        <Menu name={`More actions of ${job.name}`}>
          <MenuItem icon={<FileText />} onClick={output.show}>
            Show output…
          </MenuItem>
          <MenuItem needs="admin" icon={<Pencil />} disabled={isOffline} onClick={onEdit}>
            Edit job…
          </MenuItem>
          <MenuItem
            needs="admin"
            icon={<Trash2 />}
            danger
            disabled={isOffline}
            onClick={removal.show}
          >
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
    </>
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
