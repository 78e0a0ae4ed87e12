import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import {
  createDatabaseUser,
  databaseUsersQuery,
  endDatabaseUser,
} from '#dashboard/web/api/site-database.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useConfirmedCall } from '#dashboard/web/ui/confirmed-call.tsx'
import { Dialog, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { CreatedDatabaseUser, DatabaseUsers } from '#shared/database/api/site-database.ts'
import { MAX_DATABASE_USERS, type UserRights } from '#shared/database/database-user.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { RightsField } from './rights-field.tsx'

/** Who can log in to the database for a while, and the new user with its password. */
export function UsersCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(databaseUsersQuery(site))
  const [created, setCreated] = useState<CreatedDatabaseUser>()
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  const isFull = (data?.length ?? 0) >= MAX_DATABASE_USERS
  const add = (
    <Button needs="secrets" icon={<UserPlus />} disabled={isOffline || isFull} onClick={show}>
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
      {created && (
        <div className="p-4">
          <HowToConnect login={created} onHide={() => setCreated(undefined)} />
        </div>
      )}
      {data && data.length > 0 && <Users site={site} users={data} isOffline={isOffline} />}
      {dialog.open && <CreateUserDialog {...dialog} site={site} onCreated={setCreated} />}
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
    <RecordTable
      label="Temporary users"
      rows={users}
      keyOf={({ user }) => user}
      columns={[
        { name: 'User', cell: 'font-mono text-xs break-all', show: ({ user }) => user },
        { name: 'Rights', show: ({ rights }) => (rights === 'write' ? 'read and write' : 'read') },
        { name: 'Ends', show: ({ ends_at }) => <Time at={ends_at} /> },
        {
          name: 'Actions',
          className: 'text-right',
          show: ({ user }) => (
            <Button
              needs="operate"
              aria-label={`End now: ${user}`}
              disabled={isOffline || isPending}
              busy={isPending && variables === user}
              onClick={() => mutate(user)}
            >
              End now
            </Button>
          ),
        },
      ]}
    />
  )
}

interface HowToConnectProps {
  login: CreatedDatabaseUser
  onHide: () => void
}

/** Shown once: the password is stored nowhere. */
function HowToConnect({ login, onHide }: HowToConnectProps) {
  const { user, password, database, host, port, tunnel, socket, ends_at } = login
  const mono = (text: string) => <code className="font-mono break-all select-all">{text}</code>
  return (
    <section
      aria-label="How to connect"
      className="flex flex-col gap-4 rounded-lg border border-line bg-sunken p-4"
    >
      <p>
        The password is shown once and is not stored. The user ends <Time at={ends_at} />.
      </p>
      <p>1. Open a tunnel on your computer, and leave it open:</p>
      <Snippet text={tunnel} what="the command" />
      <p>2. Connect your database client to the tunnel:</p>
      <Facts
        of={{
          Host: mono(host),
          Port: mono(String(port)),
          User: mono(user),
          Database: mono(database),
        }}
      />
      <Snippet text={password} what="the password" />
      <p className="text-xs text-muted">
        The tunnel needs an SSH login to the server. On the server itself, a client uses the socket{' '}
        {mono(socket)}.
      </p>
      <div>
        <Button onClick={onHide}>Hide password</Button>
      </div>
    </section>
  )
}

interface CreateUserDialogProps extends DialogState {
  site: Site
  onCreated: (login: CreatedDatabaseUser) => void
}

/** Asks for the password of the dashboard if that is needed. */
function CreateUserDialog({ site, open, onClose, onCreated }: CreateUserDialogProps) {
  const [rights, setRights] = useState<UserRights>('read')
  const [minutes, setMinutes] = useState(60)
  const { form, passwordField } = useConfirmedCall(
    async (confirm) => {
      await confirm()
      onCreated(await createDatabaseUser(site, { rights, minutes }))
    },
    {
      isSecret: true,
      changes: [['site', site.id, 'database-users']],
      onSuccess: onClose,
      onClose,
    },
  )
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Temporary database user of ${unicodeOf(site.domain)}`}
      about="For one database, through an SSH tunnel. The user and its connections end automatically. The activity log records it."
    >
      <DialogForm action="Create user" {...form}>
        <RightsField value={rights} onChange={setRights} />
        <SelectField
          label="Ends after"
          name="minutes"
          value={minutes}
          options={[15, 30, 60].map((value) => ({ value, name: `${value} minutes` }))}
          onChange={setMinutes}
        />
        {passwordField}
      </DialogForm>
    </Dialog>
  )
}
