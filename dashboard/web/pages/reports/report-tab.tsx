import { reportQuery } from '#dashboard/web/api/reports.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { MailCard } from './mail-card.tsx'
import { ReportView } from './report-view.tsx'

/** The report of a site for the client: to read, to print, and to send. */
export const ReportTab = ({ site }: { site: Site }) => (
  <ReportView
    read={(month) => reportQuery(site, month)}
    below={(report) => <MailCard site={site} report={report} />}
  />
)
