import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { createToken, deleteToken, tokensQuery } from '#dashboard/web/api/account.ts'
import { CreatedToken } from '#dashboard/web/features/tokens/created-token.tsx'
import {
  EMPTY_TOKEN,
  TOKEN_FIELDS,
  TokenFields,
  tokenInput,
} from '#dashboard/web/features/tokens/token-fields.tsx'
import { TokenTable } from '#dashboard/web/features/tokens/token-table.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useCodeField } from '#dashboard/web/ui/code-field.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { ApiToken } from '#shared/kernel/api/auth.ts'

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
        token does what its scope and its limits allow until it expires. No token can create tokens,
        change your password or rotate keys.
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

/** Creates a token and shows it once: the dashboard keeps only its hash. */
const NewToken = dialogOf(Form, () => ({ title: 'Create an API token' }))

function Form({ onClose }: DialogState) {
  const [draft, setDraft] = useState(EMPTY_TOKEN)
  const [password, setPassword] = useState('')
  const { code, isMissing, codeField } = useCodeField()
  const { form, refusals, result } = useFormCall(
    () => createToken({ ...tokenInput(draft), password, ...code }),
    {
      fields: [...TOKEN_FIELDS, 'password', 'code'],
      changes: [['tokens'], ['totp']],
      onClose,
    },
  )
  if (result) return <CreatedToken plaintext={result.plaintext} onClose={onClose} />
  return (
    <DialogForm action="Create token" {...form} isBlocked={isMissing}>
      <TokenFields draft={draft} refusals={refusals} onChange={setDraft} />
      <TextField
        name="password"
        label="Your password"
        hint="A token outlasts your session, so it needs your password."
        error={refusals.password}
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
      {codeField(refusals.code)}
    </DialogForm>
  )
}
