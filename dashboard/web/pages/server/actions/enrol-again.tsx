import { Dialog } from '../../../ui/dialog.tsx'
import { EnrolmentPanel } from '../enrolment/enrolment-panel.tsx'
import type { DialogProps } from './server-actions.tsx'

export function EnrolAgain({ server, open, onClose }: DialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Enrol the agent of ${server.name} again`}
      about="After the machine or its agent was installed anew. Until the new agent has proved itself, the one before stays trusted."
      wide
    >
      <EnrolmentPanel server={server} />
    </Dialog>
  )
}
