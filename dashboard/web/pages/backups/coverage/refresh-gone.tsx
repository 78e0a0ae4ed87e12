import { useMutation, useQueryClient } from '@tanstack/react-query'
import { BACKUPS, refreshGoneBackups } from '#dashboard/web/api/backups.ts'
import { refreshedText } from '#dashboard/web/features/backups/refreshed-text.ts'
import { ServerField, useServer } from '#dashboard/web/pages/backups/targets/server-field.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface RefreshGoneProps extends DialogState {
  domain: string
}

/** Compares the list of backups of a deleted site with what is stored. */
export function RefreshGone({ open, onClose, domain }: RefreshGoneProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Refresh the list of ${unicodeOf(domain)}`}
      about="A server reads the storage. Backups that are no longer stored leave the list, and others are added."
    >
      {open && <RefreshForm domain={domain} onClose={onClose} />}
    </Dialog>
  )
}

function RefreshForm({ domain, onClose }: Omit<RefreshGoneProps, 'open'>) {
  const client = useQueryClient()
  const chosen = useServer()
  const { server } = chosen
  const { mutate, isPending, error } = useMutation({
    mutationFn: (server_id: number) => refreshGoneBackups(server_id, domain),
    onSuccess: (changed) => {
      toast(refreshedText(changed))
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: BACKUPS }),
  })
  return (
    <DialogForm
      action="Refresh list"
      onSubmit={() => server !== undefined && mutate(server)}
      onCancel={onClose}
      isBlocked={server === undefined}
      isBusy={isPending}
      error={error}
    >
      <ServerField {...chosen} hint="Choose one that reaches the storage." />
    </DialogForm>
  )
}
