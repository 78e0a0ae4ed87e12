import { formatDuration, formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { SiteDatabase } from '#shared/database/api/site-database.ts'

const SETTING = '[mariadbd]\nperformance_schema = ON'

/** Where the time of the database goes, without the values in statements. */
export function QueriesCard({ queries }: { queries: SiteDatabase['queries'] }) {
  return (
    <Card title="Slow queries" flush={queries !== null && queries.length > 0}>
      {queries === null && (
        <div className="flex flex-col gap-3">
          <p>
            MariaDB of this server does not collect them: its performance schema is off, as usual on
            Debian. To collect them, write these lines to{' '}
            <code className="font-mono break-all">
              /etc/mysql/mariadb.conf.d/90-performance-schema.cnf
            </code>{' '}
            and restart MariaDB. It then uses more memory.
          </p>
          <Snippet text={SETTING} what="the setting" />
        </div>
      )}
      {queries?.length === 0 && <p>No statement since MariaDB was started.</p>}
      {queries && queries.length > 0 && (
        <RecordTable
          label="Slow queries"
          rows={queries}
          keyOf={({ text }) => text}
          columns={COLUMNS}
        />
      )}
    </Card>
  )
}

const COLUMNS: readonly Column<NonNullable<SiteDatabase['queries']>[number]>[] = [
  { name: 'Statement', cell: 'min-w-72 font-mono text-xs break-all', show: ({ text }) => text },
  { name: 'Total', isNumber: true, show: ({ total_ms }) => formatDuration(total_ms) },
  { name: 'Longest', isNumber: true, show: ({ longest_ms }) => formatDuration(longest_ms) },
  { name: 'Runs', isNumber: true, show: ({ count }) => formatNumber(count) },
  {
    name: 'Without index',
    isNumber: true,
    show: ({ without_index }) => formatNumber(without_index),
  },
  { name: 'Last', className: 'whitespace-nowrap', show: ({ last_at }) => <Time at={last_at} /> },
]
