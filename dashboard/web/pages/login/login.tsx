import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import {
  hasSessionEnded,
  meQuery,
  needsCode,
  rightsQuery,
  signIn,
} from '#dashboard/web/api/session.ts'
import { DemoMark } from '#dashboard/web/ui/brand/demo.tsx'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { PasswordInput } from '#dashboard/web/ui/password-input.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { ownAddress } from '#shared/kernel/own-address.ts'
import { ProviderButtons } from './provider-buttons.tsx'

interface Credentials {
  email: string
  password: string
}

/** Signs in, with a code if the account needs one, then opens the requested page. */
export function LoginPage() {
  // The password was right, and the account needs a code.
  const [checked, setChecked] = useState<Credentials>()
  useEffect(() => {
    document.title = 'Sign in · Hosting Control'
  }, [])
  return (
    <>
      <DemoMark />
      <main className="mx-auto flex min-h-[85dvh] w-full max-w-sm flex-col gap-6 p-6 pt-[14dvh]">
        <h1 className="self-center text-lg">
          <Mark />
        </h1>
        {checked ? (
          <CodeStep credentials={checked} onBack={() => setChecked(undefined)} />
        ) : (
          <PasswordStep onCodeNeeded={setChecked} />
        )}
      </main>
    </>
  )
}

/** Returns a call that signs in and then opens the requested page. */
function useSignIn() {
  const { to = '/' } = useSearch({ from: '/login' })
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    gcTime: 0,
    mutationFn: signIn,
    onSuccess: async (user) => {
      client.setQueryData(meQuery.queryKey, user)
      client.removeQueries({ queryKey: rightsQuery.queryKey })
      await navigate({ href: ownAddress(to, location.origin) ?? '/', replace: true })
    },
  })
}

interface StepFormProps {
  action: string
  isBusy: boolean
  /** The error that belongs to no field. */
  error: unknown
  onSubmit: (form: FormData) => void
  children: ReactNode
}

function StepForm({ action, isBusy, error, onSubmit, children }: StepFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget))
  }
  return (
    <form
      onSubmit={submit}
      noValidate
      className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6"
    >
      {children}
      <Button type="submit" kind="primary" busy={isBusy}>
        {action}
      </Button>
      {error !== null && error !== undefined && <Failure error={error} />}
    </form>
  )
}

function PasswordStep({ onCodeNeeded }: { onCodeNeeded: (of: Credentials) => void }) {
  const { to = '/' } = useSearch({ from: '/login' })
  const { mutate, isPending, error } = useSignIn()
  const fields = refusalsIn(error)
  const isRefused = error && !needsCode(error) && Object.keys(fields).length === 0
  const submit = (form: FormData) => {
    const credentials = { email: String(form.get('email')), password: String(form.get('password')) }
    mutate(credentials, {
      onError: (refusal) => needsCode(refusal) && onCodeNeeded(credentials),
    })
  }
  return (
    <>
      {hasSessionEnded() && (
        <Notice kind="info" title="Your session has ended">
          Sign in again to continue where you were.
        </Notice>
      )}
      <StepForm
        action="Sign in"
        isBusy={isPending}
        error={isRefused ? error : undefined}
        onSubmit={submit}
      >
        <Field label="Email" name="email" error={fields.email}>
          <Input type="email" autoComplete="username" autoFocus />
        </Field>
        <Field label="Password" name="password" error={fields.password}>
          <PasswordInput autoComplete="current-password" />
        </Field>
      </StepForm>
      <ProviderButtons to={to} />
      <p className="text-center">
        <Link to="/reset" className="text-accent underline">
          Forgot password?
        </Link>
      </p>
      <p className="text-center text-xs text-balance text-muted">
        First time? Run <code>sudo hosting-control first-login</code> on the machine of the
        dashboard.
      </p>
    </>
  )
}

interface CodeStepProps {
  credentials: Credentials
  onBack: () => void
}

/** The form that asks for a code of the second factor, after the password was right. */
function CodeStep({ credentials, onBack }: CodeStepProps) {
  const [isRecovery, setRecovery] = useState(false)
  const { mutate, isPending, error, reset } = useSignIn()
  const fields = refusalsIn(error)
  const isRefused = Object.keys(fields).length === 0
  const change = () => {
    reset()
    setRecovery(!isRecovery)
  }
  return (
    <>
      <StepForm
        action="Verify"
        isBusy={isPending}
        error={isRefused ? error : undefined}
        onSubmit={(form) => mutate({ ...credentials, code: String(form.get('code')) })}
      >
        <h2 className="font-semibold">Two-factor authentication</h2>
        {isRecovery ? (
          <Field
            key="recovery"
            label="Recovery code"
            name="code"
            hint="One of those that you stored. Each is valid once."
            error={fields.code}
          >
            <Input autoComplete="off" autoCapitalize="none" autoFocus maxLength={64} />
          </Field>
        ) : (
          <Field
            key="app"
            label="Authentication code"
            name="code"
            hint="Open your authenticator app to see the code."
            error={fields.code}
          >
            <Input autoComplete="one-time-code" inputMode="numeric" autoFocus maxLength={64} />
          </Field>
        )}
      </StepForm>
      <div className="flex flex-wrap justify-center gap-2">
        <Button kind="quiet" onClick={change}>
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back to sign in
        </Button>
      </div>
      {isRecovery && (
        <p className="text-center text-xs text-balance text-muted">
          No codes left? Run <code>sudo hosting-control reset-factors {credentials.email}</code> on
          the machine of the dashboard.
        </p>
      )}
    </>
  )
}
