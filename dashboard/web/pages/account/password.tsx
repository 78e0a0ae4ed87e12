import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changePassword } from '#dashboard/web/api/account.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { LEAST_PASSWORD } from '#shared/kernel/api/auth.ts'

const EMPTY = { current: '', next: '', again: '', tokens: false }

/** The other sessions of the user end with it, and the API tokens on request; this session stays. */
export function Password() {
  const [typed, setTyped] = useState(EMPTY)
  const client = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      setTyped(EMPTY)
      void client.invalidateQueries({ queryKey: ['activity'] })
      void client.invalidateQueries({ queryKey: ['tokens'] })
      toast('The password is changed, and all other sessions have ended')
    },
  })
  const fields = refusalsIn(error)
  const type = (name: 'current' | 'next' | 'again') => ({
    type: 'password',
    value: typed[name],
    onChange: (event: { target: HTMLInputElement }) => {
      reset()
      setTyped({ ...typed, [name]: event.target.value })
    },
  })
  const isOther = typed.again !== '' && typed.again !== typed.next
  const isShort = typed.next !== '' && typed.next.length < LEAST_PASSWORD
  const isWhole = typed.current !== '' && typed.next !== '' && typed.again === typed.next
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [current_password, password] = [typed.current, typed.next]
    if (isWhole) mutate({ current_password, password, end_tokens: typed.tokens })
  }
  return (
    <Card title="Password">
      <form onSubmit={submit} noValidate className="flex max-w-sm flex-col gap-4">
        {error && Object.keys(fields).length === 0 && <Failure error={error} />}
        <Field name="current_password" label="Current password" error={fields.current_password}>
          <Input {...type('current')} autoComplete="current-password" />
        </Field>
        <Field
          name="password"
          label="New password"
          hint={`At least ${LEAST_PASSWORD} characters${isShort ? `, ${LEAST_PASSWORD - typed.next.length} more` : ''}.`}
          error={fields.password}
        >
          <Input {...type('next')} autoComplete="new-password" />
        </Field>
        <Field
          name="again"
          label="Repeat new password"
          error={isOther ? 'The passwords do not match' : undefined}
        >
          <Input {...type('again')} autoComplete="new-password" />
        </Field>
        <CheckField
          label="Also end all API tokens"
          checked={typed.tokens}
          onChange={(tokens) => setTyped({ ...typed, tokens })}
        />
        <div>
          <Button type="submit" kind="primary" busy={isPending} disabled={!isWhole}>
            Change password
          </Button>
        </div>
      </form>
    </Card>
  )
}
