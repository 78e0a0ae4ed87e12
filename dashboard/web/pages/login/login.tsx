import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { hasSessionEnded, meQuery, signIn } from '#dashboard/web/api/session.ts'
import { DemoMark } from '#dashboard/web/ui/brand/demo.tsx'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { ownAddress } from './search.ts'

/** Signs in, then opens the requested page. */
export function LoginPage() {
  const { to = '/' } = useSearch({ from: '/login' })
  const navigate = useNavigate()
  const client = useQueryClient()
  useEffect(() => {
    document.title = 'Sign in · Hosting Control'
  }, [])
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ email, password }: Record<'email' | 'password', string>) =>
      signIn(email, password),
    onSuccess: async (user) => {
      client.setQueryData(meQuery.queryKey, user)
      await navigate({ href: ownAddress(to, location.origin) ?? '/', replace: true })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    mutate({ email: String(form.get('email')), password: String(form.get('password')) })
  }
  const fields = refusalsIn(error)
  const isRefused = error && Object.keys(fields).length === 0
  return (
    <>
      <DemoMark />
      <main className="mx-auto flex min-h-[85dvh] w-full max-w-sm flex-col gap-6 p-6 pt-[14dvh]">
        <h1 className="self-center text-lg">
          <Mark />
        </h1>
        {hasSessionEnded() && (
          <Notice kind="info" title="Your session has ended">
            Sign in again to continue where you were.
          </Notice>
        )}
        <form
          onSubmit={submit}
          noValidate
          className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6"
        >
          <Field label="Email" name="email" error={fields.email}>
            <Input type="email" autoComplete="username" autoFocus />
          </Field>
          <Field label="Password" name="password" error={fields.password}>
            <PasswordInput autoComplete="current-password" />
          </Field>
          <Button type="submit" kind="primary" busy={isPending}>
            Sign in
          </Button>
          {isRefused && <Failure error={error} />}
        </form>
        <p className="text-center text-xs text-balance text-muted">
          First time? Run <code>sudo hosting-control first-login</code> on the machine of the
          dashboard.
        </p>
      </main>
    </>
  )
}
