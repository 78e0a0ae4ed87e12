import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { codeQuery, enrolmentQuery, openEnrolment } from '#dashboard/web/api/enrolment.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import { InstallLine } from './install-line.tsx'
import { Progress } from './progress.tsx'

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
