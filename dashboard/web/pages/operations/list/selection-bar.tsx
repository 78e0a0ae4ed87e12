import { RotateCw, X } from 'lucide-react'
import { cancelOperation, isActive, retryOperation } from '#dashboard/web/api/operations.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { type Many, useMany } from './use-many.ts'

interface SelectionBarProps {
  selected: readonly OperationView[]
  onClear: () => void
}

/** What can be done to all that are selected. */
export function SelectionBar({ selected, onClear }: SelectionBarProps) {
  const { dialog, show } = useDialog()
  const toCancel = selected.filter((each) => isActive(each) && each.cancel === null)
  const toRetry = selected.filter((each) => !isActive(each) && each.status !== 'success')
  const cancel = useMany('cancelled', cancelOperation)
  const retry = useMany('retried', retryOperation)
  return (
    <section
      aria-label="Selected operations"
      className="sticky bottom-3 z-20 flex flex-wrap items-center justify-center gap-1 self-center rounded-xl border border-line-strong bg-raised p-2 shadow-lg"
    >
      <span role="status" className="px-2 font-medium whitespace-nowrap tabular-nums">
        {formatNumber(selected.length)} selected
      </span>
      <Button
        kind="quiet"
        icon={<X />}
        disabled={toCancel.length === 0}
        busy={cancel.isPending}
        onClick={show}
      >
        Cancel {count(toCancel)}
      </Button>
      <Button
        kind="quiet"
        icon={<RotateCw />}
        disabled={toRetry.length === 0}
        busy={retry.isPending}
        onClick={() => void act(retry, toRetry, onClear)}
      >
        Retry {count(toRetry)}
      </Button>
      <IconButton name="Clear selection" icon={<X />} onClick={onClear} />
      <Confirm
        {...dialog}
        title={`Cancel ${formatNumber(toCancel.length)} operations?`}
        action="Cancel operations"
        keep="Keep running"
        onConfirm={() => act(cancel, toCancel, onClear)}
      >
        Their changes are undone. You can retry them later.
      </Confirm>
    </section>
  )
}

const count = (operations: readonly OperationView[]) =>
  operations.length > 0 ? formatNumber(operations.length) : ''

async function act(many: Many, operations: readonly OperationView[], onDone: () => void) {
  await many.mutateAsync(operations.map(({ id }) => id))
  onDone()
}
