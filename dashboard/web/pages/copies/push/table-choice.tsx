import { Check } from '#dashboard/web/ui/check.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import type { Comparison } from './choice.ts'

type Compared = Comparison['tables'][number]

interface TableChoiceProps {
  tables: readonly Compared[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

const NUMBER = 'text-right whitespace-nowrap tabular-nums'

/** The tables that differ; those that are the same are only counted. */
export function TableChoice({ tables, chosen, onChange }: TableChoiceProps) {
  const differing = tables.filter(
    ({ staging_changed, live_changed }) => staging_changed || live_changed,
  )
  const same = tables.length - differing.length
  const toggle = (name: string) => (checked: boolean) =>
    onChange(checked ? [...chosen, name] : chosen.filter((other) => other !== name))
  return (
    <section aria-label="Tables" className="flex flex-col gap-1">
      <p className="font-medium">Tables of the database</p>
      {differing.length > 0 && (
        <div className="rounded-lg border border-line">
          <Table
            label="Tables that differ"
            head={
              <>
                <Head>
                  <span className="sr-only">Push</span>
                </Head>
                <Head>Table</Head>
                <Head className="max-sm:hidden text-right">Rows on live</Head>
                <Head className="max-sm:hidden text-right">Rows on staging</Head>
                <Head>Changed since the copy</Head>
              </>
            }
          >
            {differing.map((table) => (
              <Row
                key={table.name}
                table={table}
                checked={chosen.includes(table.name)}
                onChange={toggle(table.name)}
              />
            ))}
          </Table>
        </div>
      )}
      {same > 0 && (
        <p className="text-xs text-muted">
          {formatCount(same, 'table')} {same === 1 ? 'has' : 'have'} not changed since the copy.
        </p>
      )}
    </section>
  )
}

interface RowProps {
  table: Compared
  checked: boolean
  onChange: (checked: boolean) => void
}

function Row({ table, checked, onChange }: RowProps) {
  const { name, live_rows, staging_rows, live_changed, staging_changed } = table
  return (
    <tr>
      <Cell>
        <Check name={`Push ${name}`} checked={checked} onChange={onChange} />
      </Cell>
      <Cell className="font-mono text-xs break-all">{name}</Cell>
      <Cell className={`${NUMBER} max-sm:hidden`}>{rowsOf(live_rows)}</Cell>
      <Cell className={`${NUMBER} max-sm:hidden`}>{rowsOf(staging_rows)}</Cell>
      <Cell>
        <span className="flex flex-wrap gap-1">
          {live_changed && <Badge tone="warn">changed on live</Badge>}
          {staging_changed && <Badge>changed on staging</Badge>}
        </span>
      </Cell>
    </tr>
  )
}

const rowsOf = (rows: number | null) => (rows === null ? 'none' : formatNumber(rows))
