import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { z } from 'zod'
import { primaryPreviewQuery } from '#dashboard/web/api/domains.ts'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import { LeftAddresses } from '#dashboard/web/features/operations/addresses.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { OPERATION_TYPES } from '#shared/operation-types.ts'

const Report = OPERATION_TYPES['site.rename-preview'].outcome.result
type Report = z.output<typeof Report>

interface PreviewProps {
  site: SitePlace
  primary: string
  /** Called with true as soon as the report is there. */
  onKnown: (isKnown: boolean) => void
}

/** Reads the database, and shows what the change would replace and what would stay. */
export function PrimaryPreview({ site, primary, onKnown }: PreviewProps) {
  const started = useQuery(primaryPreviewQuery(site, primary))
  if (started.data === undefined) return <QueryState of={started} />
  return <Followed key={started.data} operation_id={started.data} onKnown={onKnown} />
}

function Followed({
  operation_id,
  onKnown,
}: Pick<PreviewProps, 'onKnown'> & { operation_id: string }) {
  const { events } = useEvents(`/api/operations/${operation_id}/events`)
  const end = events.find(({ event }) => event === 'complete' || event === 'error')
  const found = end?.event === 'complete' ? Report.safeParse(end.data).data : undefined
  const { data: operation } = useQuery(operationQuery(operation_id))
  // Until its record has ended, the site has no plan.
  const isKnown = found !== undefined && operation !== undefined && !isActive(operation)
  useEffect(() => onKnown(isKnown), [isKnown, onKnown])
  if (found) return <Shown report={found} />
  if (end)
    return (
      <Notice kind="bad" title="The change cannot be made">
        {String(end.data.message ?? end.data.error ?? 'The report cannot be read')}
      </Notice>
    )
  return (
    <p role="status" className="text-muted">
      Reading the database. This takes some minutes for a large one…
    </p>
  )
}

const NUMBER = 'text-right whitespace-nowrap tabular-nums'

function Shown({ report }: { report: Report }) {
  const { tables, files } = report
  return (
    <section aria-label="Preview" className="flex flex-col gap-3">
      <p className="font-medium">
        {formatCount(report.replaced, 'address', 'addresses')} would change in{' '}
        {formatCount(tables.length, 'table')}
        {files.length > 0 && ` and in ${files.join(', ')}`}
      </p>
      {tables.length > 0 && (
        <div className="max-h-72 overflow-y-auto rounded-lg border border-line">
          <Table
            label="Tables with addresses"
            head={
              <>
                <Head>Table and column</Head>
                <Head className={NUMBER}>Values</Head>
                <Head className={NUMBER}>Addresses</Head>
                <Head className={`${NUMBER} max-sm:hidden`}>In serialised PHP</Head>
              </>
            }
          >
            {tables.flatMap(({ name, columns }) =>
              columns.map((column) => (
                <tr key={`${name}.${column.name}`}>
                  <Cell className="break-all">
                    <code>
                      {name}.{column.name}
                    </code>
                  </Cell>
                  <Cell className={NUMBER}>{formatNumber(column.values)}</Cell>
                  <Cell className={NUMBER}>{formatNumber(column.replaced)}</Cell>
                  <Cell className={`${NUMBER} max-sm:hidden`}>
                    {formatNumber(column.serialized)}
                  </Cell>
                </tr>
              )),
            )}
          </Table>
        </div>
      )}
      {report.left.length > 0 && <LeftAddresses left={report.left} />}
    </section>
  )
}
