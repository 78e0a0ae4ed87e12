import { useState } from 'react'
import { type CronJob, setCronJobs } from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { usePaused } from '#dashboard/web/ui/use-paused.ts'
import { SiteJob } from '#shared/jobs/site-jobs.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { type Draft, draftOf, inputOf, mistakesOf } from './draft.ts'
import { JobFields } from './job-fields.tsx'

const PAUSE_MS = 500

interface EditJobProps extends DialogState {
  site: Site
  jobs: readonly CronJob[]
  /** Undefined: a new one. */
  job: CronJob | undefined
}

/** One job of the list; the plan follows a pause in typing. */
export function EditJob({ site, jobs, job, ...dialog }: EditJobProps) {
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
