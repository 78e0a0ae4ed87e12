import { CircleCheck, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { Countdown } from '#dashboard/web/ui/elapsed.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { EnrolmentState, ReachCode } from '#shared/servers/api/enrolment.ts'
import { ADVICE } from './advice.ts'
import { Step } from './step.tsx'

interface ProgressProps {
  server: Pick<FleetServerDetail, 'hostname' | 'port' | 'status'>
  state: EnrolmentState
  isCodeKnown: boolean
  /** Whether this page created a code. */
  wasMade: boolean
  /** The button that creates a new code. */
  again: ReactNode
}

/** The progress of the enrolment, and its problem. */
export function Progress({ server, state, isCodeKnown, wasMade, again }: ProgressProps) {
  const { enrolled_at, code } = state
  if (enrolled_at && !code && server.status === 'pending')
    return <Waiting title="The agent is trusted. Reading the server…" />
  if (enrolled_at && !code && wasMade)
    return (
      <p role="status" className="flex items-center gap-2 text-good">
        <CircleCheck className="size-4" />
        The agent proved that it has the code and is trusted.
      </p>
    )
  if (!code)
    return (
      <div className="flex flex-col items-start gap-3">
        <p className="max-w-prose text-muted">
          The agent is a program on the server that carries out the requests of this dashboard. You
          paste an install command into a shell, and type a code that proves that the server is
          yours.
        </p>
        {again}
      </div>
    )
  if (code.status === 'expired')
    return (
      <Notice kind="wait" title="The code has expired" actions={again}>
        {code.reason && `The last attempt failed: ${code.reason}. `}
        Create a new code and paste the line again; it can run more than once.
      </Notice>
    )
  if (code.status === 'refused')
    return (
      <Notice kind="bad" title="The code was refused three times" actions={again}>
        {code.reason}. Create a new code, and enter it exactly as shown.
      </Notice>
    )
  if (!isCodeKnown)
    return (
      <>
        <Notice kind="info" title="A code was created and shown only once" actions={again}>
          It expires <Countdown to={code.expires_at} />. A new code replaces it.
        </Notice>
        <Waiting title={`Waiting for ${server.hostname}`} {...code} server={server} />
      </>
    )
  return (
    <Step at={3} title="Wait here: this page continues automatically">
      <Waiting title={`Waiting for ${server.hostname}`} {...code} server={server} />
    </Step>
  )
}

interface WaitingProps {
  title: string
  reason?: string
  reason_code?: ReachCode | undefined
  server?: ProgressProps['server']
}

function Waiting({ title, reason, reason_code, server }: WaitingProps) {
  return (
    <div role="status" className="flex gap-3 text-muted">
      <LoaderCircle className="mt-0.5 size-4 shrink-0 animate-spin text-accent" />
      <div>
        <p>{title}</p>
        {reason && <p className="text-text">{reason}.</p>}
        {reason_code && server && <p className="text-xs">{ADVICE[reason_code](server)}</p>}
      </div>
    </div>
  )
}
