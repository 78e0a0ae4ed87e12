import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef } from 'react'
import { messageOf, refusalsIn } from '#dashboard/web/api/client.ts'
import { factorNeeded, meQuery, rightsQuery } from '#dashboard/web/api/session.ts'
import { finishSso, finishSsoCode, identitiesQuery } from '#dashboard/web/api/sso.ts'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { FinishedSso } from '#shared/access/api/single-sign-on.ts'
import { ownAddress } from '#shared/kernel/own-address.ts'

/** Ends a login at a provider, which has opened this address, and opens the page that it was for. */
export function SsoPage() {
  const { provider } = useParams({ from: '/sso/$provider' })
  const search = useSearch({ from: '/sso/$provider' })
  const finished = useFinished()
  const { mutate, error } = useMutation({
    gcTime: 0,
    mutationFn: finishSso,
    onSuccess: finished,
  })
  const isBegun = useRef(false)
  useEffect(() => {
    document.title = 'Sign in · Hosting Control'
    // The code of the provider is valid once.
    if (isBegun.current || search.state === undefined) return
    isBegun.current = true
    const given = Object.entries(search).map(([name, text]) => [name, text ?? ''])
    const query = new URLSearchParams(given.filter(([, text]) => text !== ''))
    mutate({ provider, query: query.toString() })
  }, [mutate, provider, search])
  return (
    <main className="mx-auto flex min-h-[85dvh] w-full max-w-sm flex-col gap-6 p-6 pt-[14dvh]">
      <h1 className="self-center text-lg">
        <Mark />
      </h1>
      {search.state === undefined && (
        <Refused reason="The provider has not answered completely: begin the login again." />
      )}
      {search.state !== undefined && !error && <Skeleton rows={2} />}
      {error && factorNeeded(error) === 'code' && <CodeForm state={search.state ?? ''} />}
      {error && factorNeeded(error) !== 'code' && <Refused reason={messageOf(error)} />}
    </main>
  )
}

const Refused = ({ reason }: { reason: string }) => (
  <>
    <Notice kind="bad" title="The login has failed">
      {reason}
    </Notice>
    <p className="text-center">
      <ButtonLink to="/login">Go to the login</ButtonLink>
    </p>
  </>
)

/** Returns what follows a login that has succeeded. */
function useFinished() {
  const navigate = useNavigate()
  const client = useQueryClient()
  return async ({ user, purpose, to }: FinishedSso) => {
    client.setQueryData(meQuery.queryKey, user)
    client.removeQueries({ queryKey: rightsQuery.queryKey })
    client.removeQueries({ queryKey: identitiesQuery.queryKey })
    if (purpose === 'link') toast('The login is linked with your account')
    await navigate({ href: ownAddress(to, location.origin) ?? '/', replace: true })
  }
}

/** The form that asks for a code of the second factor, after the login at the provider. */
function CodeForm({ state }: { state: string }) {
  const finished = useFinished()
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: finishSsoCode,
    onSuccess: finished,
  })
  const fields = refusalsIn(error)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    mutate({ state, code: String(new FormData(event.currentTarget).get('code')) })
  }
  return (
    <form
      onSubmit={submit}
      noValidate
      className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6"
    >
      <h2 className="font-semibold">Two-factor authentication</h2>
      <Field
        label="Authentication code"
        name="code"
        hint="Of your authenticator app, or one of your recovery codes."
        error={fields.code}
      >
        <Input autoComplete="one-time-code" autoCapitalize="none" autoFocus maxLength={64} />
      </Field>
      <Button type="submit" kind="primary" busy={isPending}>
        Verify
      </Button>
      {error && Object.keys(fields).length === 0 && <Failure error={error} />}
    </form>
  )
}
