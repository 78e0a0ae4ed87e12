import { useMutation } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { confirmReset, requestReset } from '#dashboard/web/api/account.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { DemoMark } from '#dashboard/web/ui/brand/demo.tsx'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { MIN_PASSWORD } from '#shared/kernel/api/auth.ts'

/** Requests a link for a new password, or sets it where the address has the token of a link. */
export function ResetPage() {
  const token = useLocation({ select: ({ hash }) => hash })
  useEffect(() => {
    document.title = 'Set a new password · Hosting Control'
  }, [])
  return (
    <>
      <DemoMark />
      <main className="mx-auto flex min-h-[85dvh] w-full max-w-sm flex-col gap-6 p-6 pt-[14dvh]">
        <h1 className="self-center text-lg">
          <Mark />
        </h1>
        {token === '' ? <RequestLink /> : <SetPassword key={token} token={token} />}
        <p className="text-center">
          <Link to="/login" className="text-accent underline">
            Go to the login
          </Link>
        </p>
      </main>
    </>
  )
}

function RequestLink() {
  const { mutate, isPending, isSuccess, error } = useMutation({ mutationFn: requestReset })
  if (isSuccess)
    return (
      <Notice kind="info" title="Check your e-mail">
        If there is an account with this address, a link to set a new password is on its way. It is
        valid for an hour.
      </Notice>
    )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    mutate(String(new FormData(event.currentTarget).get('email')))
  }
  return (
    <ResetForm action="Send link" onSubmit={submit} isBusy={isPending} error={error} field="email">
      <Field label="E-mail address" name="email" error={refusalsIn(error).email}>
        <Input type="email" autoComplete="username" autoFocus />
      </Field>
    </ResetForm>
  )
}

function SetPassword({ token }: { token: string }) {
  const [password, setPassword] = useState('')
  const { mutate, isPending, isSuccess, error } = useMutation({
    gcTime: 0,
    mutationFn: () => confirmReset({ token, password }),
  })
  if (isSuccess)
    return (
      <Notice kind="info" title="The new password is set">
        All sessions of the account have ended. Sign in with the new password.
      </Notice>
    )
  const { token: refusal, password: mistake } = refusalsIn(error)
  if (refusal !== undefined)
    return (
      <Notice kind="bad" title="This link cannot be used">
        {refusal}
      </Notice>
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <ResetForm
      action="Set password"
      onSubmit={submit}
      isBusy={isPending}
      error={error}
      field="password"
    >
      <Field
        label="New password"
        name="password"
        hint={`At least ${MIN_PASSWORD} characters.`}
        error={mistake}
      >
        <PasswordInput
          autoFocus
          autoComplete="new-password"
          value={password}
          onChange={({ target }) => setPassword(target.value)}
        />
      </Field>
    </ResetForm>
  )
}

interface ResetFormProps {
  action: string
  onSubmit: (event: FormEvent<HTMLFormElement>) => void
  isBusy: boolean
  error: unknown
  /** The field that shows why it is refused. */
  field: string
  children: ReactNode
}

function ResetForm({ action, onSubmit, isBusy, error, field, children }: ResetFormProps) {
  const isShown = refusalsIn(error)[field] !== undefined
  return (
    <form
      onSubmit={onSubmit}
      noValidate
      className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6"
    >
      {children}
      <Button type="submit" kind="primary" busy={isBusy}>
        {action}
      </Button>
      {error !== null && !isShown && <Failure error={error} />}
    </form>
  )
}
