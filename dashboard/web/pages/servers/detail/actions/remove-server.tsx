import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { removeServer } from '#dashboard/web/api/servers.ts'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { DialogProps } from './server-actions.tsx'

export function RemoveServer({ server, open, onClose }: DialogProps) {
  const { id, name, sites_count } = server
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await removeServer(id)
    toast(`${name} was removed from the dashboard`)
    await navigate({ to: '/servers' })
    client.removeQueries({ queryKey: ['servers', id] })
    await client.invalidateQueries({ queryKey: ['fleet'] })
  }
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`Remove ${name} from the dashboard`}
      action="Remove server"
      typed={name}
      onConfirm={remove}
    >
      <p>
        The dashboard deletes its records of the server
        {sites_count > 0 && `, its ${formatNumber(sites_count)} sites`} and their operations.{' '}
        <strong className="text-text">The machine is not changed</strong>: its sites and its agent
        keep running. To bring it back, add it again.
      </p>
    </Confirm>
  )
}
