import { useQuery, useQueryClient } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import {
  accessQuery,
  createClient,
  endClient,
  resetClientPassword,
} from '#dashboard/web/api/access.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useConfirmedCall } from '#dashboard/web/ui/confirmed-call.tsx'
import { Dialog, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { ClientLogin, SiteAccess } from '#shared/access/api/access.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { dayOf, endOf, hintOf } from './draft.ts'
import { HowToConnect } from './how-to-connect.tsx'

/** SFTP accounts with a password, and the new one with its password. */
export function ClientsCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(accessQuery(site))
  const isOn = data?.settings.client_accounts ?? false
  const [created, setCreated] = useState<ClientLogin>()
  const [chosen, setChosen] = useState<Client>()
  const [creating, ending] = [useDialog(), useDialog()]
  const isOffline = useServerOffline(site)
  const queries = useQueryClient()
  const openFor = (show: () => void) => (client?: Client) => {
    setChosen(client)
    show()
  }
  const add = isOn ? (
    <Button
      needs="secrets"
      icon={<UserPlus />}
      disabled={isOffline || !data}
      onClick={() => openFor(creating.show)()}
    >
      Create client account
    </Button>
  ) : (
    <RightsAt where="fleet">
      <ButtonLink needs="read" to="/settings">
        Show settings
      </ButtonLink>
    </RightsAt>
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
      {created && (
        <div className="p-4">
          <LoginOfClient login={created} onHide={() => setCreated(undefined)} />
        </div>
      )}
      {has && (
        <ClientTable
          clients={data.clients}
          isOffline={isOffline}
          {...(isOn && { onReset: openFor(creating.show) })}
          onEnd={openFor(ending.show)}
        />
      )}
      {creating.dialog.open && (
        <ClientDialog {...creating.dialog} site={site} client={chosen} onCreated={setCreated} />
      )}
      <Confirm
        {...ending.dialog}
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
    <RecordTable
      label="Client accounts"
      rows={clients}
      keyOf={({ token }) => token}
      columns={[
        { name: 'Client', className: 'font-medium break-words', show: ({ label }) => label },
        { name: 'User', cell: 'font-mono text-xs break-all', show: ({ login }) => login ?? '' },
        { name: 'Until', show: ({ expires_at }) => <Time at={expires_at} none="no limit" /> },
        { name: 'State', show: (client) => <State client={client} now={now} /> },
        {
          name: 'Actions',
          className: 'text-right whitespace-nowrap',
          show: (client) => (
            <>
              {onReset && (
                <Button
                  needs="secrets"
                  kind="quiet"
                  aria-label={`Reset password of ${client.label}`}
                  disabled={isOffline}
                  onClick={() => onReset(client)}
                >
                  Reset password
                </Button>
              )}
              <Button
                needs="operate"
                kind="quiet"
                aria-label={`Remove ${client.label}`}
                disabled={isOffline}
                onClick={() => onEnd(client)}
              >
                Remove
              </Button>
            </>
          ),
        },
      ]}
    />
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
  onCreated: (login: ClientLogin) => void
}

/** Asks for the password of the dashboard if that is needed. */
function ClientDialog({ site, client, open, onClose, onCreated }: ClientDialogProps) {
  const [label, setLabel] = useState(client?.label ?? '')
  const at = client?.expires_at ?? null
  const [day, setDay] = useState(dayOf(at))
  const [install, setInstall] = useState(false)
  const { form, refusals, passwordField } = useConfirmedCall(
    async (confirm) => {
      await confirm()
      const expires_at = endOf({ day, at })
      onCreated(
        client
          ? await resetClientPassword(site, client.token, expires_at)
          : await createClient(site, { label, expires_at, ...(install && { install }) }),
      )
    },
    {
      isSecret: true,
      fields: ['label', 'expires_at'],
      changes: [['site', site.id, 'access']],
      onSuccess: onClose,
      onClose,
    },
  )
  return (
    <Dialog open={open} onClose={onClose} {...textsOf(site, client)}>
      <DialogForm
        action={client ? 'Reset password' : 'Create account'}
        {...form}
        isBlocked={form.isBlocked || label.trim() === ''}
      >
        {!client && (
          <TextField
            label="Client"
            name="label"
            hint="A name, such as that of a company."
            error={refusals.label}
            value={label}
            onChange={setLabel}
          />
        )}
        <TextField
          label="Last day"
          name="day"
          hint={hintOf(day)}
          error={refusals.expires_at}
          type="date"
          value={day}
          onChange={setDay}
        />
        {!client && (
          <CheckField
            label="Install the SSH server"
            about="If openssh-server is missing."
            checked={install}
            onChange={setInstall}
          />
        )}
        {passwordField}
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
