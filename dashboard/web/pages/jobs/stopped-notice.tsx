import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { CronJobs } from '#shared/jobs/api/site-jobs.ts'

const REASONS: Record<NonNullable<CronJobs['stopped']>, string> = {
  suspended: 'The site is suspended. They run again when it is resumed.',
  staging: 'This is a staging site, which would send the mails of the live site.',
  moving: 'The site moves to another server, where they run.',
  without_systemd: 'This server was not started by systemd, which cron jobs need.',
}

/** Why no job runs automatically. */
export function StoppedNotice({ reason }: { reason: CronJobs['stopped'] }) {
  if (reason === null) return null
  return (
    <div className="p-4">
      <Notice kind="warn" title="Jobs are off">
        {REASONS[reason]}
      </Notice>
    </div>
  )
}
