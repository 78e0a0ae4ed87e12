import { useQueryClient } from '@tanstack/react-query'
import { revokeEnrolment } from '#dashboard/web/api/enrolment.ts'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { DialogProps } from './server-actions.tsx'

export function RevokeTrust({ server, open, onClose }: DialogProps) {
  const client = useQueryClient()
  const revoke = async () => {
    await revokeEnrolment(server.id)
    await client.invalidateQueries({ queryKey: ['servers', server.id] })
    toast(`The agent of ${server.name} was revoked`)
  }
  return (
    <Confirm
      open={open}
      onClose={onClose}
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
