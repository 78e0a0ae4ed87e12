import { browserSupportsWebAuthn } from '@simplewebauthn/browser'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { signInWithPasskey } from '#dashboard/web/api/passkeys.ts'
import {
  factorNeeded,
  hasSessionEnded,
  meQuery,
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
  /** What the account needs after the password. */
  needs: 'code' | 'passkey'
}

/** Signs in, with a second factor if the account needs one, then opens the requested page. */
export function LoginPage() {
  // The password was right, and the account needs a second factor.
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
          <FactorStep credentials={checked} onBack={() => setChecked(undefined)} />
        ) : (
          <PasswordStep onFactorNeeded={setChecked} />
        )}
      </main>
    </>
  )
}

/** Returns a call that signs in and then opens the requested page. */
function useSignIn<G>(call: (given: G) => ReturnType<typeof signIn>) {
  const { to = '/' } = useSearch({ from: '/login' })
  const navigate = useNavigate()
  const client = useQueryClient()
  return useMutation({
    gcTime: 0,
    mutationFn: call,
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

function PasswordStep({ onFactorNeeded }: { onFactorNeeded: (of: Credentials) => void }) {
  const { to = '/' } = useSearch({ from: '/login' })
  const { mutate, isPending, error } = useSignIn(signIn)
  const fields = refusalsIn(error)
  const isRefused = error && !factorNeeded(error) && Object.keys(fields).length === 0
  const submit = (form: FormData) => {
    const credentials = { email: String(form.get('email')), password: String(form.get('password')) }
    mutate(credentials, {
      onError: (refusal) => {
        const needs = factorNeeded(refusal)
        if (needs) onFactorNeeded({ ...credentials, needs })
      },
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
        <Field label="E-mail address" name="email" error={fields.email}>
          <Input type="email" autoComplete="username" autoFocus />
        </Field>
        <Field label="Password" name="password" error={fields.password}>
          <PasswordInput autoComplete="current-password" />
        </Field>
      </StepForm>
      {browserSupportsWebAuthn() && <PasskeyButton label="Sign in with a passkey" />}
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

interface PasskeyButtonProps {
  label: string
  /** The password that was right; undefined: the passkey alone signs in. */
  credentials?: Credentials
}

function PasskeyButton({ label, credentials }: PasskeyButtonProps) {
  const { mutate, isPending, error } = useSignIn(() =>
    signInWithPasskey(credentials && { email: credentials.email, password: credentials.password }),
  )
  return (
    <>
      <Button
        icon={<KeyRound />}
        kind={credentials?.needs === 'passkey' ? 'primary' : 'plain'}
        busy={isPending}
        onClick={() => mutate(undefined)}
      >
        {label}
      </Button>
      {error !== null && <Failure error={error} />}
    </>
  )
}

interface FactorStepProps {
  credentials: Credentials
  onBack: () => void
}

/** Asks for the second factor of the account, after the password was right. */
function FactorStep({ credentials, onBack }: FactorStepProps) {
  if (credentials.needs === 'code') return <CodeStep credentials={credentials} onBack={onBack} />
  return (
    <>
      <h2 className="font-semibold">Two-factor authentication</h2>
      <p className="text-muted">Your account needs its passkey in addition to the password.</p>
      <PasskeyButton label="Use passkey" credentials={credentials} />
      <Button kind="quiet" onClick={onBack}>
        Back to sign in
      </Button>
      <NoFactorLeft email={credentials.email} what="No passkey left?" />
    </>
  )
}

const NoFactorLeft = ({ email, what }: { email: string; what: string }) => (
  <p className="text-center text-xs text-balance text-muted">
    {what} Run <code>sudo hosting-control reset-factors {email}</code> on the machine of the
    dashboard.
  </p>
)

/** The form that asks for a code of the second factor, after the password was right. */
function CodeStep({ credentials, onBack }: FactorStepProps) {
  const [isRecovery, setRecovery] = useState(false)
  const { mutate, isPending, error, reset } = useSignIn(signIn)
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
        onSubmit={(form) => {
          const { email, password } = credentials
          mutate({ email, password, code: String(form.get('code')) })
        }}
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
      {browserSupportsWebAuthn() && (
        <PasskeyButton label="Use a passkey" credentials={credentials} />
      )}
      <div className="flex flex-wrap justify-center gap-2">
        <Button kind="quiet" onClick={change}>
          {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
        </Button>
        <Button kind="quiet" onClick={onBack}>
          Back to sign in
        </Button>
      </div>
      {isRecovery && <NoFactorLeft email={credentials.email} what="No codes left?" />}
    </>
  )
}
