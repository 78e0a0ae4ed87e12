import { useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Check } from '#dashboard/web/ui/check.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { Row } from './row.tsx'
import type { Selection } from './use-selection.ts'

const AT_FIRST = 100

interface ListProps {
  label: string
  operations: readonly OperationView[]
  selection: Selection
}

/** A list of operations; long lists are shortened until the user requests all. */
export function List({ label, operations, selection }: ListProps) {
  const [all, setAll] = useState(false)
  const shown = all ? operations : operations.slice(0, AT_FIRST)
  const chosen = operations.filter(({ id }) => selection.ids.has(id)).length
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4 py-1.5 text-xs text-muted">
        <Check
          name={`Select all: ${label}`}
          checked={chosen === operations.length}
          mixed={chosen > 0 && chosen < operations.length}
          onChange={(selected) =>
            selection.selectAll(
              operations.map(({ id }) => id),
              selected,
            )
          }
        />
        {chosen > 0
          ? `${formatNumber(chosen)} of ${formatNumber(operations.length)}`
          : 'Select all'}
      </div>
      <ul aria-label={label} className="divide-y divide-line">
        {shown.map((operation) => (
          <Row
            key={operation.id}
            operation={operation}
            selected={selection.ids.has(operation.id)}
            onSelect={selection.select}
          />
        ))}
      </ul>
      {shown.length < operations.length && (
        <div className="border-t border-line p-3 text-center">
          <Button onClick={() => setAll(true)}>Show all {formatNumber(operations.length)}</Button>
        </div>
      )}
    </>
  )
}
