import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { endSession, sessionsQuery, signOutEverywhere } from '#dashboard/web/api/account.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { Session } from '#shared/kernel/api/auth.ts'

/** The browsers in which the user is signed in, and how each or all of them are signed out. */
export function SessionsCard() {
  const { data, error, refetch } = useQuery(sessionsQuery)
  const { dialog, show } = useDialog()
  const navigate = useNavigate()
  const client = useQueryClient()
  const confirm = async () => {
    await signOutEverywhere()
    await navigate({ to: '/login' })
    client.clear()
  }
  return (
    <Card
      title="Sessions"
      flush
      actions={
        <Button icon={<LogOut />} onClick={show}>
          Sign out everywhere
        </Button>
      }
    >
      <p className="px-4 py-4 text-muted">
        The browsers in which you are signed in. End what you do not recognize, and change your
        password.
      </p>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && <SessionTable sessions={data} />}
      <Confirm
        {...dialog}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={confirm}
      >
        All your sessions and API tokens end at once. Scripts that use a token are refused until
        they have a new one.
      </Confirm>
    </Card>
  )
}

const SessionTable = ({ sessions }: { sessions: readonly Session[] }) => (
  <RecordTable
    label="Sessions"
    rows={sessions}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Device', className: 'font-medium', show: ({ device }) => device },
      { name: 'Address', show: ({ address }) => address || 'Unknown' },
      { name: 'Signed in', show: ({ created_at }) => <Time at={created_at} /> },
      { name: 'Last used', show: ({ last_used_at }) => <Time at={last_used_at} /> },
      {
        name: 'Actions',
        isUnnamed: true,
        className: 'text-right',
        show: (session) => (session.is_current ? 'This session' : <End session={session} />),
      },
    ]}
  />
)

const End = ({ session: { id, device } }: { session: Session }) => (
  <ActionButton
    aria-label={`End the session of ${device}`}
    call={() => endSession(id)}
    done={`The session of ${device} has ended`}
    changes={[sessionsQuery.queryKey, ['activity']]}
  >
    End
  </ActionButton>
)
