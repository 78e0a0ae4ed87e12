import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { createToken, deleteToken, tokensQuery } from '#dashboard/web/api/account.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { Dialog, type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { ApiToken } from '#shared/kernel/api/auth.ts'
import { TOKEN_SCOPES, type TokenScope } from '#shared/kernel/values.ts'

/** For scripts: each has the rights of its scope until it expires. */
export function Tokens() {
  const { data, error, refetch } = useQuery(tokensQuery)
  const { dialog, show } = useDialog()
  const [toDelete, setToDelete] = useState<ApiToken>()
  const client = useQueryClient()
  const remove = async ({ id, name }: ApiToken) => {
    await deleteToken(id)
    await client.invalidateQueries({ queryKey: ['tokens'] })
    toast(`The token ${name} is deleted`)
  }
  return (
    <Card
      title="API tokens"
      flush
      actions={
        <Button icon={<Plus />} onClick={show}>
          Create token
        </Button>
      }
    >
      <p className="px-4 py-4 text-muted">
        For scripts, which send it as <code className="font-mono">Authorization: Bearer</code>. A
        token does what its scope allows until it expires. No token can create tokens, change your
        password or rotate keys.
      </p>
      <QueryState of={{ data, error, refetch }} rows={2} flush />
      {data && data.length > 0 && <TokenTable tokens={data} onDelete={setToDelete} />}
      <NewToken {...dialog} />
      <Confirm
        open={toDelete !== undefined}
        onClose={() => setToDelete(undefined)}
        title={`Delete the token ${toDelete?.name ?? ''}?`}
        action="Delete token"
        isDestructive
        onConfirm={async () => toDelete && remove(toDelete)}
      >
        Requests with this token are refused from then on. This cannot be undone.
      </Confirm>
    </Card>
  )
}

interface TokenTableProps {
  tokens: readonly ApiToken[]
  onDelete: (token: ApiToken) => void
}

function TokenTable({ tokens, onDelete }: TokenTableProps) {
  return (
    <Table
      label="API tokens"
      head={
        <>
          <Head>Name</Head>
          <Head>Scope</Head>
          <Head>Created</Head>
          <Head>Expires</Head>
          <Head>Last used</Head>
          <Head>
            <span className="sr-only">Actions</span>
          </Head>
        </>
      }
    >
      {tokens.map((token) => (
        <tr key={token.id}>
          <Cell className="font-medium break-words">{token.name}</Cell>
          <Cell>{SCOPES[token.scope].name}</Cell>
          <Cell>
            <Time at={token.created_at} />
          </Cell>
          <Cell>
            <Expiry at={token.expires_at} />
          </Cell>
          <Cell>
            <Time at={token.last_used_at} />
          </Cell>
          <Cell className="text-right">
            <IconButton
              name={`Delete the token ${token.name}`}
              icon={<Trash2 />}
              onClick={() => onDelete(token)}
            />
          </Cell>
        </tr>
      ))}
    </Table>
  )
}

function Expiry({ at }: { at: string }) {
  if (Date.parse(at) > Date.now()) return <Time at={at} />
  return <span className="text-bad">Expired</span>
}

/** Creates a token and shows it once: the dashboard keeps only its hash. */
function NewToken({ open, onClose }: DialogState) {
  return (
    <Dialog open={open} onClose={onClose} title="Create an API token">
      {open && <Form onClose={onClose} />}
    </Dialog>
  )
}

const EMPTY = { name: '', scope: 'operate' as TokenScope, days: '90', password: '' }
const DAYS = { '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' }

function Form({ onClose }: Pick<DialogState, 'onClose'>) {
  const [typed, setTyped] = useState(EMPTY)
  const client = useQueryClient()
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: createToken,
    onSuccess: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
  if (data) return <Shown plaintext={data.plaintext} onClose={onClose} />
  const refusals = refusalsIn(error)
  const { name, scope, days, password } = typed
  const control = (field: keyof typeof EMPTY) => ({
    value: typed[field],
    onChange: ({ target }: { target: { value: string } }) =>
      setTyped({ ...typed, [field]: target.value }),
  })
  return (
    <DialogForm
      action="Create token"
      onSubmit={() => mutate({ name, scope, expires_in_days: Number(days), password })}
      onCancel={onClose}
      isBusy={isPending}
      error={Object.keys(refusals).length === 0 ? error : null}
    >
      <Field
        name="name"
        label="Name"
        hint="What uses it, such as deploy script."
        error={refusals.name}
      >
        <Input {...control('name')} maxLength={64} />
      </Field>
      <Field name="scope" label="Scope" hint={SCOPES[scope].about}>
        <Select {...control('scope')}>
          {TOKEN_SCOPES.map((each) => (
            <option key={each} value={each}>
              {SCOPES[each].name}
            </option>
          ))}
        </Select>
      </Field>
      <Field name="expires_in_days" label="Expires after">
        <Select {...control('days')}>
          {Object.entries(DAYS).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        name="password"
        label="Your password"
        hint="A token outlasts your session, so it needs your password."
        error={refusals.password}
      >
        <Input {...control('password')} type="password" autoComplete="current-password" />
      </Field>
    </DialogForm>
  )
}

function Shown({ plaintext, onClose }: Pick<DialogState, 'onClose'> & { plaintext: string }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="warn" title="The token is shown only once">
        Copy it now. The dashboard stores only its hash and cannot show it again.
      </Notice>
      <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-all">{plaintext}</code>
        <Copy text={plaintext} what="the token" />
      </div>
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}

/** What an API token of each scope can do; each includes those before it. */
const SCOPES: Record<TokenScope, { name: string; about: string }> = {
  read: { name: 'Read', about: 'Reads everything except passwords. Changes nothing.' },
  operate: {
    name: 'Operate',
    about:
      'Everyday work on sites and servers, such as create, update, sync, restart and delete to the trash.',
  },
  admin: {
    name: 'Admin',
    about:
      'Also adds and removes servers, changes settings, shows passwords and deletes permanently.',
  },
}
