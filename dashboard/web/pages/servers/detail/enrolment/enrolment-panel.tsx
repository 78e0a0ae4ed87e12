import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, KeyRound, LoaderCircle } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { codeQuery, enrolmentQuery, openEnrolment } from '#dashboard/web/api/enrolment.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Countdown } from '#dashboard/web/ui/elapsed.tsx'
import { Select, selectProps } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { Enrolment, EnrolmentState, ReachCode } from '#shared/servers/api/enrolment.ts'

interface EnrolmentPanelProps {
  server: Pick<FleetServerDetail, 'id' | 'hostname' | 'port' | 'user' | 'status'>
}

/** Enrolment: the install command, the code, and the progress. */
export function EnrolmentPanel({ server }: EnrolmentPanelProps) {
  const { id } = server
  const client = useQueryClient()
  const { data: state, error, refetch } = useQuery(enrolmentQuery(id))
  const { data: shown } = useQuery(codeQuery(id))
  const open = useMutation({ mutationFn: () => openEnrolment(client, id) })
  if (!state) return <QueryState of={{ data: state, error, refetch }} />
  const isKnown =
    shown && state.code?.status === 'open' && shown.expires_at === state.code.expires_at
  const again = (
    <Button
      needs="admin"
      kind={isKnown ? 'plain' : 'primary'}
      icon={<KeyRound />}
      busy={open.isPending}
      onClick={() => open.mutate()}
    >
      {state.code ? 'Create a new code' : 'Show install command'}
    </Button>
  )
  return (
    <Card title="Install the agent" actions={isKnown && again}>
      <div className="flex flex-col gap-5">
        {open.error && <Failure error={open.error} />}
        {isKnown && <InstallLine server={server} enrolment={shown} />}
        {(!isKnown || shown.lines.length > 0) && (
          <Progress
            server={server}
            state={state}
            isCodeKnown={Boolean(isKnown)}
            wasMade={Boolean(shown)}
            again={again}
          />
        )}
      </div>
    </Card>
  )
}

interface InstallLineProps {
  server: Pick<FleetServerDetail, 'hostname' | 'user'>
  enrolment: Enrolment
}

/** The install command, then the code. */
function InstallLine({ server, enrolment }: InstallLineProps) {
  const { lines, code, expires_at, obstacle } = enrolment
  const [machine, setMachine] = useState(lines[0]?.machine)
  const chosen = lines.find((line) => line.machine === machine) ?? lines[0]
  if (!chosen)
    return (
      <Notice kind="bad" title="The dashboard has no build of the agent">
        Run <code className="font-mono">bun scripts/build-agent.ts --all</code> where the dashboard
        runs, then create a new code.
      </Notice>
    )
  return (
    <>
      {obstacle && (
        <Notice kind="bad" title={`The dashboard will not connect to ${server.hostname}`}>
          {obstacle}. Until this is solved, the line ends with an error. If the dashboard was
          installed by its script:{' '}
          <code className="font-mono">install-dashboard.sh --private-networks</code>
        </Notice>
      )}
      <Step at={1} title={`Paste this line into a shell on ${server.hostname}, as ${server.user}`}>
        {lines.length > 1 && (
          <Select
            aria-label="Kind of machine"
            className="mb-2 w-auto"
            {...selectProps({
              value: chosen.machine,
              options: named(...lines.map((line) => line.machine)),
              onChange: setMachine,
            })}
          />
        )}
        <Snippet text={chosen.line} what="the line" />
        <p className="mt-2 text-xs text-muted">
          It downloads the agent from this dashboard, compares its SHA-256, starts it as a service
          and asks for the code. SHA-256 for {chosen.machine}:{' '}
          <code className="font-mono break-all">{chosen.sha256}</code>
        </p>
      </Step>
      <Step at={2} title="Type this code at the prompt">
        <Snippet text={code} what="the code" large />
        <p className="mt-2 text-xs text-muted">
          Valid for one server, once. It expires <Countdown to={expires_at} />, and is not shown
          again.
        </p>
      </Step>
    </>
  )
}

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
function Progress({ server, state, isCodeKnown, wasMade, again }: ProgressProps) {
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

interface Address {
  hostname: string
  port: number
}

/** What to do about what keeps an agent from being reached. */
const ADVICE: Record<ReachCode, (address: Address) => string> = {
  connection_refused: () =>
    'This is expected until the install command has run there. If it has, run `systemctl status hosting-agent` on the server.',
  timed_out: allowAccess,
  unreachable: allowAccess,
  unresolved: ({ hostname }) => `Correct the hostname, or add a DNS record for ${hostname}.`,
  waits_for_code: () => 'Type the code at the prompt of the install command.',
}

function allowAccess({ hostname, port }: Address): string {
  return `Allow this dashboard to reach port ${port} of ${hostname}: a firewall there or at the provider may block it.`
}

/** One of several numbered steps. */
function Step({ at, title, children }: { at: number; title: string; children: ReactNode }) {
  return (
    <div className="flex gap-3">
      <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
        {at}
      </span>
      <div className="min-w-0 flex-1">
        <h3 className="mb-2 font-medium">{title}</h3>
        {children}
      </div>
    </div>
  )
}
