import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { changePassword } from '#dashboard/web/api/account.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { meQuery, rightsQuery } from '#dashboard/web/api/session.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { useCodeField } from '#dashboard/web/ui/code-field.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { MIN_PASSWORD } from '#shared/kernel/api/auth.ts'
import { isClient } from '#shared/kernel/rights.ts'
import { IdentitiesCard } from './identities-card.tsx'
import { Passkeys } from './passkeys.tsx'
import { ProfileCard } from './profile-card.tsx'
import { SessionsCard } from './sessions-card.tsx'
import { Tokens } from './tokens.tsx'
import { TwoFactor } from './two-factor.tsx'

export function AccountPage() {
  const { data: user } = useQuery(meQuery)
  const { data: rights } = useQuery(rightsQuery)
  return (
    <Page title="Account" about={user && `${user.name}, ${user.email}`}>
      <div className="grid items-start gap-5 xl:grid-cols-2">
        <ProfileCard />
        <Password />
        <TwoFactor />
      </div>
      <IdentitiesCard />
      <Passkeys />
      <SessionsCard />
      {rights && !isClient(rights) && <Tokens />}
    </Page>
  )
}

const EMPTY = { current: '', next: '', again: '', tokens: false }

/** The other sessions of the user end with it, and the API tokens on request; this session stays. */
function Password() {
  const [typed, setTyped] = useState(EMPTY)
  const { code, isMissing, codeField, clear } = useCodeField()
  const client = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      setTyped(EMPTY)
      clear()
      void client.invalidateQueries({ queryKey: ['activity'] })
      void client.invalidateQueries({ queryKey: ['tokens'] })
      void client.invalidateQueries({ queryKey: ['sessions'] })
      toast('The password is changed, and all other sessions have ended')
    },
  })
  const fields = refusalsIn(error)
  const control = (name: 'current' | 'next' | 'again') => ({
    type: 'password',
    value: typed[name],
    onChange: (text: string) => {
      reset()
      setTyped({ ...typed, [name]: text })
    },
  })
  const isOther = typed.again !== '' && typed.again !== typed.next
  const isShort = typed.next !== '' && typed.next.length < MIN_PASSWORD
  const isWhole =
    typed.current !== '' && typed.next !== '' && typed.again === typed.next && !isMissing
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const [current_password, password] = [typed.current, typed.next]
    if (isWhole) mutate({ current_password, password, end_tokens: typed.tokens, ...code })
  }
  return (
    <Card title="Password">
      <form onSubmit={submit} noValidate className="flex max-w-sm flex-col gap-4">
        {error && Object.keys(fields).length === 0 && <Failure error={error} />}
        <TextField
          name="current_password"
          label="Current password"
          error={fields.current_password}
          {...control('current')}
          autoComplete="current-password"
        />
        <TextField
          name="password"
          label="New password"
          hint={`At least ${MIN_PASSWORD} characters${isShort ? `, ${MIN_PASSWORD - typed.next.length} more` : ''}.`}
          error={fields.password}
          {...control('next')}
          autoComplete="new-password"
        />
        <TextField
          name="again"
          label="Repeat new password"
          error={isOther ? 'The passwords do not match' : undefined}
          {...control('again')}
          autoComplete="new-password"
        />
        {codeField(fields.code)}
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
