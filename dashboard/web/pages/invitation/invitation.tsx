import { useMutation, useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { acceptInvitation, invitationQuery } from '#dashboard/web/api/accounts.ts'
import { isNotFound, refusalsIn } from '#dashboard/web/api/client.ts'
import { PartGrants } from '#dashboard/web/features/access/part-grants.tsx'
import { ROLE_TEXTS } from '#dashboard/web/labels/role.ts'
import { ProviderButtons } from '#dashboard/web/pages/login/provider-buttons.tsx'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { Invitation } from '#shared/access/api/accounts.ts'
import { MIN_PASSWORD } from '#shared/kernel/api/auth.ts'

/** Makes an account. The token is the fragment of the address, which no server and no log sees. */
export function InvitationPage() {
  const token = useLocation({ select: ({ hash }) => hash })
  const { data, error, refetch } = useQuery(invitationQuery(token))
  useEffect(() => {
    document.title = 'Invitation · Hosting Control'
  }, [])
  return (
    <main className="mx-auto flex min-h-[85dvh] w-full max-w-sm flex-col gap-6 p-6 pt-[10dvh]">
      <h1 className="self-center text-lg">
        <Mark />
      </h1>
      {token === '' && (
        <Refused title="This link is not complete">
          Open the whole link of the invitation, from the message or as you received it.
        </Refused>
      )}
      {token !== '' && isNotFound(error) && (
        <Refused title="This invitation is not valid">
          It was used, revoked or renewed, or is older than 7 days. Ask whoever has invited you for
          a new one.
        </Refused>
      )}
      {token !== '' && !isNotFound(error) && <QueryState of={{ data, error, refetch }} rows={4} />}
      {data && !error && (
        <>
          <Accept token={token} invitation={data} />
          <ProviderButtons invitation={token} />
        </>
      )}
    </main>
  )
}

const Refused = ({ title, children }: { title: string; children: ReactNode }) => (
  <>
    <Notice kind="bad" title={title}>
      {children}
    </Notice>
    <p className="text-center">
      <ButtonLink to="/login">Sign in</ButtonLink>
    </p>
  </>
)

function Accept({ token, invitation }: { token: string; invitation: Invitation }) {
  const { email, role, secrets, parts, groups, invited_by, expires_at } = invitation
  const [typed, setTyped] = useState({ name: invitation.name, password: '', again: '' })
  const { name, password, again } = typed
  const navigate = useNavigate()
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: () => acceptInvitation({ token, name, password }),
    onSuccess: async () => {
      toast('Your account is ready: sign in with your new password')
      await navigate({ to: '/login', replace: true })
    },
  })
  const fields = refusalsIn(error)
  const isOther = again !== '' && again !== password
  const missing = MIN_PASSWORD - password.length
  const isWhole = name.trim() !== '' && missing <= 0 && again === password
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isWhole && !isPending) mutate()
  }
  const set = (field: keyof typeof typed) => (text: string) => setTyped({ ...typed, [field]: text })
  return (
    <form
      onSubmit={submit}
      noValidate
      className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6"
    >
      <div className="flex flex-col gap-1">
        <h2 className="text-base font-semibold">Set up your account</h2>
        <p className="break-words text-muted">
          {invited_by} invites you
          {role === null ? (
            '.'
          ) : (
            <>
              {' '}
              as <strong>{ROLE_TEXTS[role].name}</strong>. {ROLE_TEXTS[role].about}
            </>
          )}
          {secrets && ' Your account sees passwords and site contents.'} The invitation ends{' '}
          <Time at={expires_at} />.
        </p>
        {parts.length > 0 && (
          <>
            <p className="text-muted">
              {role === null ? 'You get access:' : 'You also get access:'}
            </p>
            <PartGrants parts={parts} isLinked={false} />
          </>
        )}
        {groups.length > 0 && (
          <p className="break-words text-muted">
            You become a member of {groups.map(({ name }) => name).join(', ')}.
          </p>
        )}
      </div>
      <TextField
        name="email"
        label="E-mail address"
        type="email"
        autoComplete="username"
        readOnly
        value={email}
        onChange={() => undefined}
      />
      <TextField
        name="name"
        label="Name"
        error={fields.name}
        autoComplete="name"
        maxLength={64}
        value={name}
        onChange={set('name')}
      />
      <TextField
        name="password"
        label="Password"
        type="password"
        hint={`At least ${MIN_PASSWORD} characters${password !== '' && missing > 0 ? `, ${missing} more` : ''}.`}
        error={fields.password}
        autoComplete="new-password"
        autoFocus
        value={password}
        onChange={set('password')}
      />
      <TextField
        name="again"
        label="Repeat password"
        type="password"
        error={isOther ? 'The passwords do not match' : undefined}
        autoComplete="new-password"
        value={again}
        onChange={set('again')}
      />
      <Button type="submit" kind="primary" busy={isPending} disabled={!isWhole}>
        Create account
      </Button>
      {error && Object.keys(fields).length === 0 && <Failure error={error} />}
    </form>
  )
}
