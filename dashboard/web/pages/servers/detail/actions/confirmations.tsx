import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { revokeEnrolment } from '#dashboard/web/api/enrolment.ts'
import { removeServer, upgradeAgent } from '#dashboard/web/api/servers.ts'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { DialogProps } from './server-actions.tsx'

export function UpgradeAgent({ server, ...dialog }: DialogProps) {
  const openOperation = useOpenOperation()
  return (
    <Confirm
      {...dialog}
      title={`Upgrade the agent of ${server.name}`}
      action="Upgrade"
      onConfirm={async () => openOperation(await upgradeAgent(server.id))}
    >
      It has version {server.version || 'unknown'} and is replaced by the version of this dashboard.
      If the new version does not answer, the previous one is restored automatically. Sites are not
      affected.
    </Confirm>
  )
}

export function RevokeTrust({ server, ...dialog }: DialogProps) {
  const client = useQueryClient()
  const revoke = async () => {
    await revokeEnrolment(server.id)
    await client.invalidateQueries({ queryKey: ['servers', server.id] })
    toast(`The agent of ${server.name} was revoked`)
  }
  return (
    <Confirm
      {...dialog}
      title={`Revoke the agent of ${server.name}`}
      action="Revoke agent"
      typed={server.name}
      onConfirm={revoke}
    >
      The dashboard no longer connects to it, and its sites cannot be changed from here until it is
      enrolled again. Sites keep running. Use this if somebody else may control the machine.
    </Confirm>
  )
}

export function RemoveServer({ server, ...dialog }: DialogProps) {
  const { id, name, sites_count } = server
  const client = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await removeServer(id)
    // Before the list is shown, which would have the server until then.
    await client.invalidateQueries({ queryKey: ['fleet'], refetchType: 'all' })
    toast(`${name} was removed from the dashboard`)
    await navigate({ to: '/servers' })
    client.removeQueries({ queryKey: ['servers', id] })
  }
  return (
    <Confirm
      {...dialog}
      title={`Remove ${name} from the dashboard`}
      action="Remove server"
      typed={name}
      onConfirm={remove}
    >
      <p>
        The dashboard deletes its records of the server
        {sites_count > 0 && `, its ${formatCount(sites_count, 'site')}`} and their operations.{' '}
        <strong className="text-text">The machine is not changed</strong>: its sites and its agent
        keep running. Add it again to manage it from here.
      </p>
    </Confirm>
  )
}
