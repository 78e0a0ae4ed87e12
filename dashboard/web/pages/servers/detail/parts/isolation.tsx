import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { messageOf } from '#dashboard/web/api/client.ts'
import { activeOperationsQuery } from '#dashboard/web/api/operations.ts'
import { checkIsolation, isolationQuery } from '#dashboard/web/api/servers.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { FleetServerDetail } from '#shared/api/fleet.ts'
import type { IsolationCheckView } from '#shared/api/isolation.ts'
import type { OperationView } from '#shared/api/operations.ts'
import { IsolationResults } from './isolation-results.tsx'

/** Whether sites of the server can reach each other, as the last check found it. */
export function Isolation({ server }: { server: FleetServerDetail }) {
  const { data, error, refetch } = useQuery(isolationQuery(server.id))
  const { data: active = [] } = useQuery(activeOperationsQuery({ server_id: String(server.id) }))
  const running = active.find(({ type }) => type === 'isolation.check')
  return (
    <Card title="Isolation" flush actions={<Check server={server} isRunning={!!running} />}>
      <QueryState of={{ data, error, refetch }} flush />
      {running && <Running operation={running} />}
      {data && <Found check={data} />}
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
    <Button icon={<ShieldCheck />} busy={isPending || isRunning} onClick={() => mutate()}>
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

function Found({ check }: { check: IsolationCheckView }) {
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
