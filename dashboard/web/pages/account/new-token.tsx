import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createToken } from '#dashboard/web/api/account.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { TOKEN_SCOPES, type TokenScope } from '#shared/kernel/values.ts'
import { SCOPES } from './scopes.ts'

/** Creates a token and shows it once: the dashboard keeps only its hash. */
export function NewToken({ open, onClose }: DialogState) {
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
