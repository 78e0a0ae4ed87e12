import { formatDuration, formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
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
        <Table label="Slow queries" head={HEAD}>
          {queries.map(({ text, count, total_ms, longest_ms, without_index, last_at }) => (
            <tr key={text}>
              <Cell className="min-w-72 font-mono text-xs break-all">{text}</Cell>
              <Cell className="text-right whitespace-nowrap">{formatDuration(total_ms)}</Cell>
              <Cell className="text-right whitespace-nowrap">{formatDuration(longest_ms)}</Cell>
              <Cell className="text-right tabular-nums">{formatNumber(count)}</Cell>
              <Cell className="text-right tabular-nums">{formatNumber(without_index)}</Cell>
              <Cell className="whitespace-nowrap">
                <Time at={last_at} />
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}

const HEAD = (
  <>
    <Head>Statement</Head>
    <Head className="text-right">Total</Head>
    <Head className="text-right">Longest</Head>
    <Head className="text-right">Runs</Head>
    <Head className="text-right">Without index</Head>
    <Head>Last</Head>
  </>
)
