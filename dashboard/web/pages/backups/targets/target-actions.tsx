import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { checkTarget, removeTarget, targetsQuery } from '#dashboard/web/api/backups.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { BackupTargetView } from '#shared/api/backups.ts'

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
  const { data } = useQuery(fleetQuery)
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<string>()
  const servers = data?.servers ?? []
  const first = servers.find(({ status }) => status === 'online') ?? servers[0]
  const server = chosen ?? (first && String(first.id))
  const { mutate, isPending, error } = useMutation({
    mutationFn: (server_id: number) => checkTarget(target.id, server_id),
    onSuccess: async (operation) => {
      onClose()
      await navigate({ to: '/backups', search: { operation } })
    },
  })
  return (
    <DialogForm
      action="Check target"
      onSubmit={() => server && mutate(Number(server))}
      onCancel={onClose}
      isBlocked={server === undefined}
      isBusy={isPending}
      error={error}
    >
      <Field
        label="Server"
        name="server"
        hint={
          servers.length === 0
            ? 'There is no server yet.'
            : 'A target is used by all servers: check it from one of each network.'
        }
      >
        <Select value={server ?? ''} onChange={({ target: { value } }) => setChosen(value)}>
          {servers.map(({ id, name, status }) => (
            <option key={id} value={id}>
              {status === 'online' ? name : `${name} (${status})`}
            </option>
          ))}
        </Select>
      </Field>
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
      The dashboard forgets its address and its secret. The storage is not changed.
    </Confirm>
  )
}
