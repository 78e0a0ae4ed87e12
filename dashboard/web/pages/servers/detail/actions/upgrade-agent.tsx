import { useNavigate } from '@tanstack/react-router'
import { upgradeAgent } from '#dashboard/web/api/servers.ts'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import type { DialogProps } from './server-actions.tsx'

export function UpgradeAgent({ server, open, onClose }: DialogProps) {
  const navigate = useNavigate()
  const upgrade = async () => {
    const operation_id = await upgradeAgent(server.id)
    await navigate({ to: '/operations/$operation_id', params: { operation_id } })
  }
  return (
    <Confirm
      open={open}
      onClose={onClose}
      title={`Upgrade the agent of ${server.name}`}
      action="Upgrade"
      onConfirm={upgrade}
    >
      It has version {server.version || 'unknown'} and is replaced by the version of this dashboard.
      If the new version does not answer, the previous one is restored automatically. Sites are not
      affected.
    </Confirm>
  )
}
