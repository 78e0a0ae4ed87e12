import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Globe, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  addDnsAccount,
  changeDnsAccount,
  dnsAccountsQuery,
  removeDnsAccount,
} from '#dashboard/web/api/dns.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { DnsAccountView } from '#shared/domains/api/dns.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const MAX_ZONES = 5

/** Accounts at Cloudflare, for the records of names of sites. */
export function DnsAccounts() {
  const { data, error, refetch } = useQuery(dnsAccountsQuery)
  const [chosen, setChosen] = useState<DnsAccountView>()
  const form = useDialog()
  const removal = useDialog()
  const client = useQueryClient()
  const open = (account: DnsAccountView | undefined, dialog: typeof form) => {
    setChosen(account)
    dialog.show()
  }
  const add = (
    <Button needs="admin" icon={<Plus />} onClick={() => open(undefined, form)}>
      Add DNS account
    </Button>
  )
  return (
    <Card title="DNS accounts" flush actions={data && data.length > 0 && add}>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data?.length === 0 && (
        <Empty icon={<Globe />} title="No DNS account" action={add}>
          With an API token of Cloudflare, the tab Domains of a site creates the records of its
          names.
        </Empty>
      )}
      {data && data.length > 0 && (
        <AccountTable
          accounts={data}
          onChange={(account) => open(account, form)}
          onRemove={(account) => open(account, removal)}
        />
      )}
      <AccountForm key={chosen?.id ?? 0} {...form.dialog} account={chosen} />
      <Confirm
        {...removal.dialog}
        title={`Remove the DNS account ${chosen?.name ?? ''}?`}
        action="Remove account"
        isDestructive
        onConfirm={async () => {
          if (chosen) await removeDnsAccount(chosen.id)
          await client.invalidateQueries({ queryKey: dnsAccountsQuery.queryKey })
        }}
      >
        Its token is deleted here. The records at Cloudflare stay.
      </Confirm>
    </Card>
  )
}

interface AccountTableProps {
  accounts: readonly DnsAccountView[]
  onChange: (account: DnsAccountView) => void
  onRemove: (account: DnsAccountView) => void
}

const AccountTable = ({ accounts, onChange, onRemove }: AccountTableProps) => (
  <RecordTable
    label="DNS accounts"
    isStacked
    rows={accounts}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Account', className: 'font-medium break-words', show: ({ name }) => name },
      { name: 'Zones', className: 'break-words', show: zonesOf },
      { name: 'Checked', show: ({ checked_at }) => <Time at={checked_at} /> },
      {
        name: 'Actions',
        isUnnamed: true,
        cell: 'text-right',
        show: (account) => (
          <span className="inline-flex flex-wrap justify-end gap-2">
            <Button
              needs="admin"
              icon={<Pencil />}
              aria-label={`Change ${account.name}`}
              onClick={() => onChange(account)}
            >
              Change
            </Button>
            <Button
              needs="admin"
              icon={<Trash2 />}
              aria-label={`Remove ${account.name}`}
              onClick={() => onRemove(account)}
            >
              Remove
            </Button>
          </span>
        ),
      },
    ]}
  />
)

function zonesOf({ zones }: DnsAccountView): string {
  const shown = zones.slice(0, MAX_ZONES).map(unicodeOf).join(', ')
  return zones.length > MAX_ZONES ? `${shown} and ${zones.length - MAX_ZONES} more` : shown
}

interface AccountFormProps extends DialogState {
  /** The DNS account to edit; undefined for a new one. */
  account?: DnsAccountView | undefined
}

const AccountForm = dialogOf(Form, ({ account }) => ({
  title: account ? `Change the DNS account ${account.name}` : 'Add a DNS account',
}))

function Form({ account, onClose }: AccountFormProps) {
  const [name, setName] = useState(account?.name ?? 'Cloudflare')
  const [typed, setToken] = useState('')
  const token = typed.trim()
  const { form, refusals } = useFormCall(
    () =>
      account
        ? changeDnsAccount(account.id, { name, ...(token !== '' && { token }) })
        : addDnsAccount({ name, token }),
    {
      fields: ['name', 'token'],
      changes: [dnsAccountsQuery.queryKey],
      onDone: onClose,
      onClose,
    },
  )
  return (
    <DialogForm
      action={account ? 'Save account' : 'Add account'}
      {...form}
      isBlocked={name.trim() === '' || (!account && token === '')}
    >
      <TextField
        name="name"
        label="Name"
        error={refusals.name}
        value={name}
        maxLength={64}
        onChange={setName}
      />
      <TextField
        name="token"
        label="API token"
        hint={
          account
            ? 'Leave empty to keep the current token. The zones are read again.'
            : 'Of Cloudflare, with Zone: Read, DNS: Edit and Cache Purge. It is tested first, stored encrypted, and never shown.'
        }
        error={refusals.token}
        data-first
        type="password"
        autoComplete="off"
        value={typed}
        onChange={setToken}
      />
    </DialogForm>
  )
}
