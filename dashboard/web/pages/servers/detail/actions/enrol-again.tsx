import { EnrolmentPanel } from '#dashboard/web/pages/servers/detail/enrolment/enrolment-panel.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import type { DialogProps } from './server-actions.tsx'

export function EnrolAgain({ server, open, onClose }: DialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Enrol the agent of ${server.name} again`}
      about="Use this after the machine or its agent was reinstalled. The previous agent stays trusted until the new one is enrolled."
      wide
    >
      <EnrolmentPanel server={server} />
    </Dialog>
  )
}
