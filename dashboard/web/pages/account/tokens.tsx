import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { createToken, deleteToken, tokensQuery } from '#dashboard/web/api/account.ts'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { useCodeField } from '#dashboard/web/ui/code-field.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
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

const TokenTable = ({ tokens, onDelete }: TokenTableProps) => (
  <RecordTable
    label="API tokens"
    rows={tokens}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Name', className: 'font-medium break-words', show: ({ name }) => name },
      { name: 'Scope', show: ({ scope }) => SCOPES[scope].name },
      { name: 'Created', show: ({ created_at }) => <Time at={created_at} /> },
      { name: 'Expires', show: ({ expires_at }) => <Expiry at={expires_at} /> },
      { name: 'Last used', show: ({ last_used_at }) => <Time at={last_used_at} /> },
      {
        name: 'Actions',
        isUnnamed: true,
        className: 'text-right',
        show: (token) => (
          <IconButton
            name={`Delete the token ${token.name}`}
            icon={<Trash2 />}
            onClick={() => onDelete(token)}
          />
        ),
      },
    ]}
  />
)

function Expiry({ at }: { at: string }) {
  if (Date.parse(at) > Date.now()) return <Time at={at} />
  return <span className="text-bad">Expired</span>
}

/** Creates a token and shows it once: the dashboard keeps only its hash. */
const NewToken = dialogOf(Form, () => ({ title: 'Create an API token' }))

const EMPTY = { name: '', scope: 'operate' as TokenScope, days: '90', password: '' }
const DAYS = optionsOf({ '7': '7 days', '30': '30 days', '90': '90 days', '365': '1 year' })

function Form({ onClose }: DialogState) {
  const [draft, setDraft] = useState(EMPTY)
  const { name, scope, days, password } = draft
  const { code, isMissing, codeField } = useCodeField()
  const { form, refusals, result } = useFormCall(
    () => createToken({ name, scope, expires_in_days: Number(days), password, ...code }),
    { fields: ['name', 'password', 'code'], changes: [['tokens'], ['totp']], onClose },
  )
  if (result) return <CreatedToken plaintext={result.plaintext} onClose={onClose} />
  const change = (part: Partial<typeof EMPTY>) => setDraft({ ...draft, ...part })
  return (
    <DialogForm action="Create token" {...form} isBlocked={isMissing}>
      <TextField
        name="name"
        label="Name"
        hint="What uses it, such as deploy script."
        error={refusals.name}
        maxLength={64}
        value={name}
        onChange={(next) => change({ name: next })}
      />
      <SelectField
        name="scope"
        label="Scope"
        hint={SCOPES[scope].about}
        value={scope}
        options={TOKEN_SCOPES.map((value) => ({ value, name: SCOPES[value].name }))}
        onChange={(next) => change({ scope: next })}
      />
      <SelectField
        name="expires_in_days"
        label="Expires after"
        value={days}
        options={DAYS}
        onChange={(next) => change({ days: next })}
      />
      <TextField
        name="password"
        label="Your password"
        hint="A token outlasts your session, so it needs your password."
        error={refusals.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(next) => change({ password: next })}
      />
      {codeField(refusals.code)}
    </DialogForm>
  )
}

function CreatedToken({
  plaintext,
  onClose,
}: Pick<DialogState, 'onClose'> & { plaintext: string }) {
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
