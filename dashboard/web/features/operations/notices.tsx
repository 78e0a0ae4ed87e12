import { useEffect, useState } from 'react'
import type { Connection } from '#dashboard/web/api/events.ts'
import { isActive } from '#dashboard/web/api/operations.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Countdown } from '#dashboard/web/ui/elapsed.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { errorNameOf, namesRemedy } from '#shared/kernel/errors.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { useCancel } from './use-actions.ts'

interface NoticesProps {
  operation: OperationView
  connection: Connection
}

/** Why an operation waits or failed, and what can be done. */
export function Notices({ operation, connection }: NoticesProps) {
  const active = isActive(operation)
  return (
    <>
      {active && connection === 'disconnected' && (
        <Notice kind="warn" title="The dashboard cannot be reached">
          The operation continues. This page reconnects automatically.
        </Notice>
      )}
      {active && operation.next_at !== null && <Waiting {...operation} />}
      {active && operation.cancel !== null && <ForceCancel operation={operation} />}
      {operation.status === 'failed' && <Failed {...operation} />}
      {operation.warnings.length > 0 && <Warnings {...operation} />}
      {operation.status === 'cancelled' && (
        <Notice kind="info" title="Cancelled">
          {cancelledWords(operation)}
        </Notice>
      )}
    </>
  )
}

function Waiting({ server, server_id, error, next_at, deadline_at, attempts }: OperationView) {
  return (
    <Notice kind="wait" title={`Waiting for the agent of ${server}`}>
      <p>{error?.message ?? error?.error}</p>
      <p className="mt-1">
        Tried {attempts === 1 ? 'once' : `${attempts} times`}; the next attempt is{' '}
        <Countdown to={next_at ?? deadline_at} />. It fails if the agent is not online{' '}
        <Time at={deadline_at} />. See <LinkTo server={server} server_id={server_id} />.
      </p>
    </Notice>
  )
}

function Failed(operation: OperationView) {
  const { error } = operation
  const fields = Object.entries(error?.fields ?? {})
  return (
    <Notice kind="bad" title={error?.message ?? error?.error ?? 'Failed'}>
      {fields.length > 0 && (
        <ul className="list-disc pl-4">
          {fields.map(([name, texts]) => (
            <li key={name}>
              <span className="font-mono">{name}</span>: {texts.join('. ')}
            </li>
          ))}
        </ul>
      )}
      <Advice {...operation} />
    </Notice>
  )
}

/** The operation succeeded with warnings. */
function Warnings({ warnings }: OperationView) {
  const isTriedAgain = warnings.some(({ code }) => code === 'certificate_refused')
  return (
    <Notice kind="warn" title="Done, with warnings">
      <ul className="list-disc pl-4">
        {warnings.map(({ message }) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      {isTriedAgain && (
        <p>
          The certificate is requested again automatically. Until then the overview lists the site.
        </p>
      )}
    </Notice>
  )
}

function Advice({ error, server, server_id }: OperationView) {
  const link = <LinkTo server={server} server_id={server_id} />
  const name = error ? errorNameOf(error) : undefined
  if (name === 'offline')
    return (
      <p>
        Check that {link} is up and its agent is running (
        <code className="font-mono">systemctl status hosting-agent</code>), then retry.
      </p>
    )
  if (name === 'invalid') return <p>Correct the refused fields and start again.</p>
  if (error?.code === 'not_undone')
    return <p>Some changes could not be undone and remain on {link}.</p>
  if (error && namesRemedy(error)) return <p>Completed steps were undone.</p>
  return (
    <p>
      Completed steps were undone. The last lines of the log show the cause. Correct it, then retry.
    </p>
  )
}

function cancelledWords({ cancel, error, started_at }: OperationView): string {
  if (error?.code === 'cancelled_not_undone')
    return `Not all changes were undone. ${error.message}.`
  if (started_at === null) return 'It had not started: nothing was changed.'
  return cancel === 'forced'
    ? 'Its programs were ended at once, and its changes were undone.'
    : 'Its changes were undone.'
}

function LinkTo({ server, server_id }: Pick<OperationView, 'server' | 'server_id'>) {
  return (
    <ServerLink id={server_id} className="font-medium underline underline-offset-2">
      {server}
    </ServerLink>
  )
}

/** Programs get ten seconds to end; then changes are undone. */
const OFFER_MS = 15_000

/** The state of a cancel request; forced cancellation is offered when it takes long. */
function ForceCancel({ operation }: { operation: OperationView }) {
  const { id, cancel, server_id, site_id } = operation
  const isLong = useTimeout(OFFER_MS)
  const { mutate, isPending } = useCancel(id)
  if (cancel === 'forced')
    return (
      <Notice kind="info" title="Ending by force">
        Its programs are ended at once, and its changes are undone.
      </Notice>
    )
  return (
    <Notice
      kind="info"
      title="Cancelling"
      actions={
        isLong && (
          <RightsAt server_id={server_id} site_id={site_id}>
            <Button needs="operate" busy={isPending} onClick={() => mutate(true)}>
              End by force
            </Button>
          </RightsAt>
        )
      }
    >
      Running programs receive a request to end, and changes are undone.
      {isLong &&
        ' This takes long. End by force to end the programs at once; changes are undone as well.'}
    </Notice>
  )
}

/** Whether the time since the component appeared has passed. */
function useTimeout(ms: number): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), ms)
    return () => clearTimeout(timer)
  }, [ms])
  return isOver
}
