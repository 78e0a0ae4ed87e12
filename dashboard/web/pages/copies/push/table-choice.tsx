import { Check } from '#dashboard/web/ui/check.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import type { Comparison } from './choice.ts'

type ComparedTable = Comparison['tables'][number]

interface TableChoiceProps {
  tables: readonly ComparedTable[]
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

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
          <RecordTable
            label="Tables that differ"
            rows={differing}
            keyOf={({ name }) => name}
            columns={[
              {
                name: 'Push',
                isUnnamed: true,
                show: ({ name }) => (
                  <Check
                    name={`Push ${name}`}
                    checked={chosen.includes(name)}
                    onChange={toggle(name)}
                  />
                ),
              },
              ...COLUMNS,
            ]}
          />
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

const COLUMNS: readonly Column<ComparedTable>[] = [
  { name: 'Table', cell: 'font-mono text-xs break-all', show: ({ name }) => name },
  {
    name: 'Rows on live',
    isNumber: true,
    className: 'max-sm:hidden',
    show: ({ live_rows }) => rowsOf(live_rows),
  },
  {
    name: 'Rows on staging',
    isNumber: true,
    className: 'max-sm:hidden',
    show: ({ staging_rows }) => rowsOf(staging_rows),
  },
  {
    name: 'Changed since the copy',
    show: ({ live_changed, staging_changed }) => (
      <span className="flex flex-wrap gap-1">
        {live_changed && <Badge tone="warn">changed on live</Badge>}
        {staging_changed && <Badge>changed on staging</Badge>}
      </span>
    ),
  },
]

const rowsOf = (rows: number | null) => (rows === null ? 'none' : formatNumber(rows))
