import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import {
  accessQuery,
  createClient,
  endClient,
  resetClientPassword,
} from '#dashboard/web/api/access.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { settingsQuery } from '#dashboard/web/api/settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { confirmPassword, needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Dialog, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { ClientLogin, SiteAccess } from '#shared/access/api/access.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { dayOf, endOf, hintOf } from './draft.ts'
import { HowToConnect } from './how-to-connect.tsx'

/** SFTP accounts with a password, and the new one with its password. */
export function ClientsCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(accessQuery(site))
  const isOn = useQuery(settingsQuery).data?.client_accounts ?? false
  const [made, setMade] = useState<ClientLogin>()
  const [chosen, setChosen] = useState<Client>()
  const [make, end] = [useDialog(), useDialog()]
  const isOffline = useServerOffline(site)
  const queries = useQueryClient()
  const openFor = (show: () => void) => (client?: Client) => {
    setChosen(client)
    show()
  }
  const add = isOn ? (
    <Button icon={<UserPlus />} disabled={isOffline || !data} onClick={() => openFor(make.show)()}>
      Create client account
    </Button>
  ) : (
    <ButtonLink to="/settings">Show settings</ButtonLink>
  )
  const remove = async () => {
    if (!chosen) return
    await endClient(site, chosen.token)
    await queries.invalidateQueries({ queryKey: ['site', site.id, 'access'] })
  }
  const has = data !== undefined && data.clients.length > 0
  return (
    <Card title="Client accounts" flush actions={has && add}>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && !has && (
        <Empty icon={<UserPlus />} title="No client accounts" action={add}>
          {isOn
            ? 'A client without an SSH key reaches the files of this site by SFTP with a password.'
            : 'The setting for SFTP accounts with a password is off. A person with an SSH key needs none.'}
        </Empty>
      )}
      {made && (
        <div className="p-4">
          <LoginOfClient login={made} onHide={() => setMade(undefined)} />
        </div>
      )}
      {has && (
        <ClientTable
          clients={data.clients}
          isOffline={isOffline}
          {...(isOn && { onReset: openFor(make.show) })}
          onEnd={openFor(end.show)}
        />
      )}
      {make.dialog.open && (
        <ClientDialog {...make.dialog} site={site} client={chosen} onMade={setMade} />
      )}
      <Confirm
        {...end.dialog}
        title={`Remove the client account of ${chosen?.label ?? ''}?`}
        action="Remove account"
        isDestructive
        onConfirm={remove}
      >
        Its password stops working, and all SFTP sessions of this site end. The files stay. The
        other accounts and people can log in again immediately.
      </Confirm>
    </Card>
  )
}

interface LoginOfClientProps {
  login: ClientLogin
  onHide: () => void
}

/** Shown once: the password is stored nowhere. */
function LoginOfClient({ login, onHide }: LoginOfClientProps) {
  const { label, login: user, password } = login
  return (
    <section
      aria-label={`Login of ${label}`}
      className="flex flex-col gap-4 rounded-lg border border-line bg-sunken p-4"
    >
      <p>The password of {label} is shown once and is not stored.</p>
      <Snippet text={password} what="the password" />
      <HowToConnect login={{ ...login, user, shell_user: null }} />
      <div>
        <Button onClick={onHide}>Hide password</Button>
      </div>
    </section>
  )
}

interface ClientTableProps {
  clients: readonly Client[]
  isOffline: boolean
  /** Absent: client accounts are turned off. */
  onReset?: (client: Client) => void
  onEnd: (client: Client) => void
}

function ClientTable({ clients, isOffline, onReset, onEnd }: ClientTableProps) {
  const now = useNow()
  return (
    <Table
      label="Client accounts"
      head={
        <>
          <Head>Client</Head>
          <Head>User</Head>
          <Head>Until</Head>
          <Head>State</Head>
          <Head className="text-right">Actions</Head>
        </>
      }
    >
      {clients.map((client) => (
        <tr key={client.token}>
          <Cell className="font-medium break-words">{client.label}</Cell>
          <Cell className="font-mono text-xs break-all">{client.login ?? ''}</Cell>
          <Cell>
            <Time at={client.expires_at} none="no limit" />
          </Cell>
          <Cell>
            <State client={client} now={now} />
          </Cell>
          <Cell className="text-right whitespace-nowrap">
            {onReset && (
              <Button
                kind="quiet"
                aria-label={`Reset password of ${client.label}`}
                disabled={isOffline}
                onClick={() => onReset(client)}
              >
                Reset password
              </Button>
            )}
            <Button
              kind="quiet"
              aria-label={`Remove ${client.label}`}
              disabled={isOffline}
              onClick={() => onEnd(client)}
            >
              Remove
            </Button>
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function State({ client, now }: { client: Client; now: number }) {
  const { expires_at, applied } = client
  if (expires_at !== null && Date.parse(expires_at) <= now) return <Badge tone="bad">expired</Badge>
  if (!applied) return <Badge tone="warn">changed on the server</Badge>
  return <Badge tone="good">can log in</Badge>
}

type Client = SiteAccess['clients'][number]

interface ClientDialogProps extends DialogState {
  site: Site
  /** The account that gets a new password; without it, a new account. */
  client?: Client | undefined
  onMade: (login: ClientLogin) => void
}

/** Asks for the password of the dashboard if that is needed. */
function ClientDialog({ site, client, open, onClose, onMade }: ClientDialogProps) {
  const [label, setLabel] = useState(client?.label ?? '')
  const at = client?.expires_at ?? null
  const [day, setDay] = useState(dayOf(at))
  const [install, setInstall] = useState(false)
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  // Not in the query client: the answer has a password.
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      if (password !== '') await confirmPassword(password)
      const expires_at = endOf({ day, at })
      onMade(
        client
          ? await resetClientPassword(site, client.token, expires_at)
          : await createClient(site, { label, expires_at, ...(install && { install }) }),
      )
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['site', site.id, 'access'] }),
  })
  const refusals = refusalsIn(error)
  const asks = password !== '' || needsConfirmation(error) || refusals.password !== undefined
  const isShown = needsConfirmation(error) || Object.keys(refusals).length > 0
  return (
    <Dialog open={open} onClose={onClose} {...textsOf(site, client)}>
      <DialogForm
        action={client ? 'Reset password' : 'Create account'}
        onSubmit={() => mutate()}
        onCancel={onClose}
        isBlocked={(asks && password === '') || label.trim() === ''}
        isBusy={isPending}
        error={isShown ? null : error}
      >
        {!client && (
          <Field
            label="Client"
            name="label"
            hint="A name, such as that of a company."
            error={refusals.label}
          >
            <Input value={label} onChange={({ target }) => setLabel(target.value)} />
          </Field>
        )}
        <Field label="Last day" name="day" hint={hintOf(day)} error={refusals.expires_at}>
          <Input type="date" value={day} onChange={({ target }) => setDay(target.value)} />
        </Field>
        {!client && (
          <CheckField
            label="Install the SSH server"
            about="If openssh-server is missing."
            checked={install}
            onChange={setInstall}
          />
        )}
        {asks && (
          <Field
            name="password"
            label="Your password of this dashboard"
            hint="You must enter it again after half an hour."
            error={refusals.password}
          >
            <PasswordInput
              data-first
              value={password}
              onChange={({ target }) => setPassword(target.value)}
              autoComplete="current-password"
            />
          </Field>
        )}
      </DialogForm>
    </Dialog>
  )
}

const textsOf = ({ domain }: Site, client: Client | undefined) =>
  client
    ? {
        title: `New password for ${client.label}`,
        about: 'The current password stops working, and all SFTP sessions of this site end.',
      }
    : {
        title: `Client account of ${unicodeOf(domain)}`,
        about:
          'For somebody without an SSH key: SFTP with a password to the files of this site, and nothing else. The password is shown once.',
      }
