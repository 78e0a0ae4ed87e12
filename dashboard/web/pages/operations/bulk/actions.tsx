import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Play, RotateCw, X } from 'lucide-react'
import {
  cancelBulk,
  isBulkActive,
  resumeBulk,
  retryBulk,
} from '#dashboard/web/api/bulk-operations.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { useOpenBulk } from '#dashboard/web/ui/record-links.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'

/** Resume, cancel or retry the whole. */
export function Actions({ bulk }: { bulk: BulkOperationView }) {
  const { id, status, counts } = bulk
  const resume = useAct(id, () => resumeBulk(id), 'The bulk operation continues')
  if (!isBulkActive(bulk)) return counts.failed + counts.cancelled > 0 && <Retry bulk={bulk} />
  return (
    <div className="flex flex-wrap gap-2">
      {status === 'paused' && (
        <Button
          kind="primary"
          icon={<Play />}
          busy={resume.isPending}
          onClick={() => resume.mutate()}
        >
          Resume
        </Button>
      )}
      <Cancel bulk={bulk} />
    </div>
  )
}

/** After a first cancel request, running operations can be ended by force. */
function Cancel({ bulk: { id, status, counts } }: { bulk: BulkOperationView }) {
  const { dialog, show } = useDialog()
  const isEnding = status === 'cancelled'
  const cancel = useAct(id, () => cancelBulk(id, isEnding), 'Cancelling the bulk operation')
  const running = formatNumber(counts.running)
  return (
    <>
      <Button icon={<X />} onClick={show}>
        {isEnding ? 'End by force' : 'Cancel'}
      </Button>
      <Confirm
        {...dialog}
        title={isEnding ? 'End running operations by force?' : 'Cancel bulk operation?'}
        action={isEnding ? 'End by force' : 'Cancel bulk operation'}
        keep="Keep running"
        onConfirm={() => cancel.mutateAsync()}
      >
        {isEnding
          ? `The programs of the ${running} running operations are ended at once, and their changes are undone.`
          : `The ${formatNumber(counts.waiting)} waiting operations do not start, and the changes of the ${running} running ones are undone. Completed operations stay as they are.`}
      </Confirm>
    </>
  )
}

function Retry({ bulk: { id, counts } }: { bulk: BulkOperationView }) {
  const openBulk = useOpenBulk()
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => retryBulk(id),
    onSuccess: (bulk_id) => {
      void client.invalidateQueries({ queryKey: ['bulk'] })
      void openBulk(bulk_id)
    },
    onError: toastError,
  })
  return (
    <Button kind="primary" icon={<RotateCw />} busy={isPending} onClick={() => mutate()}>
      Retry {formatNumber(counts.failed + counts.cancelled)} unsuccessful operations
    </Button>
  )
}

function useAct(id: string, act: () => Promise<unknown>, done: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: () => toast(done),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['bulk', id, 'state'] }),
  })
}
