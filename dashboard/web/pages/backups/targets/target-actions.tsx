import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { checkTarget, removeTarget, targetsQuery } from '#dashboard/web/api/backups.ts'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { ServerField, useServer } from './server-field.tsx'

interface TargetDialogProps extends DialogState {
  target: BackupTargetView
}

/** Asks for the server; the page shows the steps. */
export function CheckTarget({ target, open, onClose }: TargetDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Check ${target.name} from a server`}
      about="The server writes to the target, reads it again, and tries to delete what it wrote."
    >
      {open && <CheckForm target={target} onClose={onClose} />}
    </Dialog>
  )
}

function CheckForm({ target, onClose }: Omit<TargetDialogProps, 'open'>) {
  const navigate = useNavigate()
  const chosen = useServer()
  const { server } = chosen
  const { mutate, isPending, error } = useMutation({
    mutationFn: (server_id: number) => checkTarget(target.id, server_id),
    onSuccess: async (operation) => {
      onClose()
      await navigate({ to: '/backups', search: { part: 'targets', operation } })
    },
  })
  return (
    <DialogForm
      action="Check target"
      onSubmit={() => server !== undefined && mutate(server)}
      onCancel={onClose}
      isBlocked={server === undefined}
      isBusy={isPending}
      error={error}
    >
      <ServerField
        {...chosen}
        hint="A target is used by all servers: check it from one of each network."
      />
    </DialogForm>
  )
}

export function RemoveTarget({ target, ...dialog }: TargetDialogProps) {
  const client = useQueryClient()
  const remove = async () => {
    await removeTarget(target.id)
    await client.invalidateQueries({ queryKey: targetsQuery.queryKey })
    toast(`${target.name} was removed`)
  }
  return (
    <Confirm
      {...dialog}
      title={`Remove ${target.name}?`}
      action="Remove target"
      isDestructive
      onConfirm={remove}
    >
      Its address and its secret are deleted from the dashboard. The storage is not changed.
    </Confirm>
  )
}
