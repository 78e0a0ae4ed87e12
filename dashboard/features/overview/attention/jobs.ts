import { listJobTroubles } from '#dashboard/features/jobs/troubles.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteJobTrouble } from '#shared/jobs/site-jobs.ts'
import type { Attention } from '#shared/overview/api/attention.ts'
import { groupOf, ofSite } from './item.ts'

/** Cron jobs that failed three times in a row, and events of WordPress that have not run for an hour. */
export async function jobTroubles(db: Database): Promise<Attention[]> {
  const found = (await listJobTroubles(db)).map(({ site, trouble }) =>
    ofSite(site, { severity: 'warning', ...findingOf(trouble) }),
  )
  return groupOf('site_jobs', found)
}

function findingOf({ failing, overdue_since }: SiteJobTrouble): {
  reason: string
  at: string | null
} {
  if (overdue_since !== null) {
    const reason =
      'The events of WordPress do not run: see the output of their last runs in the tab Jobs'
    return { reason, at: overdue_since }
  }
  const [first] = failing
  const others = failing.length > 1 ? `, and ${failing.length - 1} more` : ''
  const what = first ? `${first.name} failed ${first.failures} times in a row` : 'A job fails'
  const reason = `The cron job ${what}${others}: see its output in the tab Jobs`
  return { reason, at: first?.at ?? null }
}
