import { useQueryClient } from '@tanstack/react-query'
import { changeServer } from '#dashboard/web/api/servers.ts'
import { ServerFields } from '#dashboard/web/pages/servers/list/server-fields.tsx'
import { useServerForm } from '#dashboard/web/pages/servers/list/use-server-form.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog, DialogFooter } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { DialogProps } from './server-actions.tsx'

export function EditServer({ server, open, onClose }: DialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Edit ${server.name}`}>
      <Form server={server} onClose={onClose} />
    </Dialog>
  )
}

function Form({ server, onClose }: Omit<DialogProps, 'open'>) {
  const client = useQueryClient()
  const { id, hostname, name, port, user, tags } = server
  const before = { hostname, name, port: String(port), user, tags: tags.join(', ') }
  const form = useServerForm(before, async (input) => {
    await changeServer(id, { ...input, name: input.name ?? input.hostname.slice(0, 64) })
    await Promise.all([
      client.invalidateQueries({ queryKey: ['servers', id] }),
      client.invalidateQueries({ queryKey: ['fleet'] }),
    ])
    toast('The server was changed')
    onClose()
  })
  const isMoved = form.values.hostname !== hostname || form.values.port !== String(port)
  return (
    <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
      <ServerFields form={form} own={id} />
      {isMoved && (
        <Notice kind="info" title="The dashboard will connect to this address">
          The same agent must answer there. Another agent is not trusted until it is enrolled.
        </Notice>
      )}
      {form.error && <Failure error={form.error} />}
      <DialogFooter onCancel={onClose}>
        <Button type="submit" kind="primary" busy={form.isPending}>
          Save
        </Button>
      </DialogFooter>
    </form>
  )
}
