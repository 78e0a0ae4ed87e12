import { formatBytes, formatNumber } from '#dashboard/web/ui/format.ts'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import type { SiteDatabase } from '#shared/database/api/site-database.ts'

interface UnusedOptionsProps {
  table: string
  unused: NonNullable<SiteDatabase['options']>[number]['unused']
}

/** A hint: the plugin may be active again tomorrow, and an option may have another owner. */
export function UnusedOptions({ table, unused }: UnusedOptionsProps) {
  return (
    <>
      <Table
        label={`Probably unused options of ${table}`}
        head={
          <>
            <Head>Probably unused</Head>
            <Head className="text-right">Options</Head>
            <Head className="text-right">Size</Head>
          </>
        }
      >
        {unused.map(({ plugin, count, bytes }) => (
          <tr key={plugin}>
            <Cell>{plugin}, which is not active</Cell>
            <Cell className="text-right tabular-nums">{formatNumber(count)}</Cell>
            <Cell className="text-right whitespace-nowrap tabular-nums">{formatBytes(bytes)}</Cell>
          </tr>
        ))}
      </Table>
      <p className="border-t border-line px-4 py-3 text-xs text-muted">
        Options of a plugin are recognised by their names. Create a backup before you remove any.
      </p>
    </>
  )
}
