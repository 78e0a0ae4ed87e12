import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { databaseUsersQuery, endDatabaseUser } from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { CreatedDatabaseUser, DatabaseUsers } from '#shared/database/api/site-database.ts'
import { MAX_DATABASE_USERS } from '#shared/database/database-user.ts'
import { CreateUserDialog } from './create-user-dialog.tsx'
import { HowToConnect } from './how-to-connect.tsx'

/** Who can log in to the database for a while, and the new user with its password. */
export function UsersCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(databaseUsersQuery(site))
  const [made, setMade] = useState<CreatedDatabaseUser>()
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  const isFull = (data?.length ?? 0) >= MAX_DATABASE_USERS
  const add = (
    <Button icon={<UserPlus />} disabled={isOffline || isFull} onClick={show}>
      Create temporary user
    </Button>
  )
  return (
    <Card title="Temporary users" flush actions={data && data.length > 0 && add}>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data?.length === 0 && (
        <Empty icon={<UserPlus />} title="No temporary users" action={add}>
          A temporary user reaches this database through an SSH tunnel, for at most an hour.
        </Empty>
      )}
      {made && (
        <div className="p-4">
          <HowToConnect login={made} onHide={() => setMade(undefined)} />
        </div>
      )}
      {data && data.length > 0 && <Users site={site} users={data} isOffline={isOffline} />}
      {dialog.open && <CreateUserDialog {...dialog} site={site} onMade={setMade} />}
    </Card>
  )
}

interface UsersProps extends DatabaseUsers {
  site: Site
  isOffline: boolean
}

function Users({ site, users, isOffline }: UsersProps) {
  const client = useQueryClient()
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (user: string) => endDatabaseUser(site, user),
    onSuccess: (message) => toast(message),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['site', site.id, 'database-users'] }),
  })
  return (
    <Table label="Temporary users" head={HEAD}>
      {users.map(({ user, rights, ends_at }) => (
        <tr key={user}>
          <Cell className="font-mono text-xs break-all">{user}</Cell>
          <Cell>{rights === 'write' ? 'read and write' : 'read'}</Cell>
          <Cell>
            <Time at={ends_at} />
          </Cell>
          <Cell className="text-right">
            <Button
              aria-label={`End ${user}`}
              disabled={isOffline || isPending}
              busy={isPending && variables === user}
              onClick={() => mutate(user)}
            >
              End now
            </Button>
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

const HEAD = (
  <>
    <Head>User</Head>
    <Head>Rights</Head>
    <Head>Ends</Head>
    <Head className="text-right">Actions</Head>
  </>
)
