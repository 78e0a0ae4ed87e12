import { RotateCw, X } from 'lucide-react'
import { isActive } from '#dashboard/web/api/operations.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import type { RefusalCode } from '#shared/kernel/errors.ts'
import { retryRightOf } from '#shared/operation-types.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { useCancel, useRetry } from './use-actions.ts'

const NO_BACKUP: RefusalCode = 'backup_failed'

interface ActionProps {
  operation: OperationView
  /** Called with the id of the retry. */
  onRetried?: (operation_id: string) => unknown
  /** The title of the operation: the action is an icon in a list. */
  title?: string
}

/** The button that cancels or retries an operation; nothing where neither is possible. */
export function OperationAction(props: ActionProps) {
  const { status, cancel, server_id, site_id } = props.operation
  const isRunning = isActive(props.operation)
  if (isRunning ? cancel !== null : status === 'success') return null
  return (
    <RightsAt server_id={server_id} site_id={site_id}>
      {isRunning ? <Cancel {...props} /> : <Retry {...props} />}
    </RightsAt>
  )
}

function Cancel({ operation, title }: ActionProps) {
  const { mutate, isPending } = useCancel(operation.id)
  const action = { icon: <X />, busy: isPending, onClick: () => mutate(false) }
  if (title !== undefined)
    return <IconButton needs="operate" name={`Cancel: ${title}`} {...action} />
  return (
    <Button needs="operate" {...action}>
      Cancel
    </Button>
  )
}

function Retry({ operation, onRetried, title }: ActionProps) {
  const { mutate, isPending } = useRetry(operation.id, onRetried)
  const needs = retryRightOf(operation.type)
  const action = { needs, icon: <RotateCw />, busy: isPending, onClick: () => mutate(false) }
  if (title !== undefined) return <IconButton name={`Retry: ${title}`} {...action} />
  return (
    <span className="flex flex-wrap gap-2">
      {operation.error?.code === NO_BACKUP && (
        <Button needs={needs} busy={isPending} onClick={() => mutate(true)}>
          Retry without a backup
        </Button>
      )}
      <Button kind="primary" {...action}>
        Retry
      </Button>
    </span>
  )
}
