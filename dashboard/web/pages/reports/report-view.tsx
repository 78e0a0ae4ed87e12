import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { reportQuery } from '#dashboard/web/api/reports.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { SiteReport } from '#shared/reports/api/report.ts'
import { monthName, monthsBetween } from '#shared/reports/months.ts'
import { ReportDocument } from './report-document.tsx'

interface ReportViewProps {
  /** Makes the query of the report of a month; undefined: the last complete one. */
  read: (month: string | undefined) => ReturnType<typeof reportQuery>
  /** What stands below the document. */
  below?: (report: SiteReport) => ReactNode
}

/** The report of a site, to choose its month, to read and to print. */
export function ReportView({ read, below }: ReportViewProps) {
  const [month, setMonth] = useState<string>()
  const { data, error, refetch, isPlaceholderData } = useQuery(read(month))
  return (
    <>
      <QueryState of={{ data, error, refetch }} rows={12} />
      {data && (
        <>
          <div className="flex flex-wrap items-end justify-between gap-3">
            <div className="w-full sm:w-64">
              <SelectField
                name="month"
                label="Month"
                value={month ?? data.month}
                options={monthsBetween(data.first_month, data.last_month).map((value) => ({
                  value,
                  name: value === data.last_month ? `${monthName(value)} so far` : monthName(value),
                }))}
                onChange={setMonth}
              />
            </div>
            <Button icon={<Printer />} onClick={() => print(data)}>
              Print or save as PDF
            </Button>
          </div>
          <div className={cx('transition-opacity', isPlaceholderData && 'opacity-50')}>
            <ReportDocument report={data} />
          </div>
          {below?.(data)}
        </>
      )}
    </>
  )
}

/** Prints the document; browsers name the file after the title of the page. */
function print({ domain, month }: SiteReport): void {
  const { title } = document
  document.title = `Report ${unicodeOf(domain)} ${month}`
  window.print()
  document.title = title
}
