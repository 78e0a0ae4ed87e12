import { useQuery } from '@tanstack/react-query'
import { CalendarClock, Plus } from 'lucide-react'
import { useState } from 'react'
import { type CronJob, cronJobsQuery } from '#dashboard/web/api/site-jobs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Head, Table } from '#dashboard/web/ui/table.tsx'
import { MAX_JOBS } from '#shared/jobs/site-jobs.ts'
import { EditJob } from './edit-job.tsx'
import { JobRow } from './job-row.tsx'
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
