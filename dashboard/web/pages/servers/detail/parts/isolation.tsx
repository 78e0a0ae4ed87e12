import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { activeOperationsQuery } from '#dashboard/web/api/operations.ts'
import { checkIsolation, isolationQuery } from '#dashboard/web/api/servers.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { IsolationCheckView } from '#shared/isolation/api/isolation.ts'
import {
  countOutcomes,
  type IsolationOutcome,
  type IsolationResult,
} from '#shared/isolation/isolation.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

/** Whether sites of the server can reach each other, as the last check found it. */
export function Isolation({ server }: { server: FleetServerDetail }) {
  const { data, error, refetch } = useQuery(isolationQuery(server.id))
  const { data: active = [] } = useQuery(activeOperationsQuery({ server_id: String(server.id) }))
  const running = active.find(({ type }) => type === 'isolation.check')
  return (
    <Card title="Isolation" flush actions={<Check server={server} isRunning={!!running} />}>
      <QueryState of={{ data, error, refetch }} flush />
      {running && <Running operation={running} />}
      {data && <LastCheck check={data} />}
    </Card>
  )
}

interface CheckProps {
  server: FleetServerDetail
  isRunning: boolean
}

function Check({ server, isRunning }: CheckProps) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => checkIsolation(server.id),
    onError: (error) => toast(`The check did not start: ${messageOf(error)}`, { error: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
  return (
    <Button
      needs="operate"
      icon={<ShieldCheck />}
      busy={isPending || isRunning}
      onClick={() => mutate()}
    >
      Check isolation
    </Button>
  )
}

function Running({ operation: { id, last_line } }: { operation: OperationView }) {
  return (
    <p className="border-b border-line px-4 py-2.5" aria-live="polite">
      <OperationLink id={id} className="font-medium hover:underline">
        A check is running
      </OperationLink>
      <span className="block truncate text-xs text-muted">{last_line}</span>
    </p>
  )
}

function LastCheck({ check }: { check: IsolationCheckView }) {
  const { checked_at, results } = check
  return (
    <>
      {check.failures > 0 && <Failed check={check} />}
      {results === null ? (
        <p className="p-4 text-muted">
          Not checked yet. A check creates two temporary sites, attacks one of them from the other,
          and removes both. Servers with sites are checked once a week automatically.
        </p>
      ) : (
        <>
          <p className="px-4 pt-3 text-xs text-muted">
            Checked <Time at={checked_at} />
          </p>
          <IsolationResults results={results} />
        </>
      )}
    </>
  )
}

function Failed({ check: { failures, failed_at, reason } }: { check: IsolationCheckView }) {
  return (
    <p className="border-b border-line px-4 py-2.5 text-warn">
      {failures === 1 ? 'The last check' : `The last ${failures} checks`} could not run (
      <Time at={failed_at} />
      ): {reason}
    </p>
  )
}

/** The worst first. */
const OUTCOMES: Record<IsolationOutcome, { name: string; tone: Tone }> = {
  succeeded: { name: 'succeeded', tone: 'bad' },
  error: { name: 'could not be tried', tone: 'warn' },
  not_applicable: { name: 'does not apply', tone: 'plain' },
  refused: { name: 'refused', tone: 'good' },
}
const ORDER = Object.keys(OUTCOMES)

/** Every attack with its outcome; refused attacks are collapsed. */
function IsolationResults({ results }: { results: readonly IsolationResult[] }) {
  const [all, setAll] = useState(false)
  const { refused, succeeded } = countOutcomes(results)
  const sorted = results.toSorted(
    (one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome),
  )
  const shown = sorted.filter(({ outcome }) => all || outcome !== 'refused')
  return (
    <>
      <p className="px-4 py-2 font-medium">
        {succeeded === 0
          ? 'No attack succeeded.'
          : `${formatCount(succeeded, 'attack')} of one site on another succeeded.`}
      </p>
      <ul className="divide-y divide-line">
        {shown.map((result) => (
          <Result key={result.id} result={result} />
        ))}
      </ul>
      {refused > 0 && (
        <button
          type="button"
          aria-expanded={all}
          onClick={() => setAll(!all)}
          className="w-full border-t border-line px-4 py-2.5 text-left text-xs text-muted hover:bg-sunken hover:text-text"
        >
          {all ? 'Show less' : `${formatCount(refused, 'attack')} refused: show each`}
        </button>
      )}
    </>
  )
}

function Result({ result: { title, outcome, detail } }: { result: IsolationResult }) {
  const { name, tone } = OUTCOMES[outcome]
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
      <span className="min-w-0 flex-1 basis-40">{title}</span>
      <Badge tone={tone}>{name}</Badge>
      {detail !== '' && <p className="w-full text-xs break-words text-muted">{detail}</p>}
    </li>
  )
}
