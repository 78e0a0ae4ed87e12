import { type ComponentProps, useState } from 'react'
import { confirmPassword, needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { useCodeField, useHasPasskey } from './code-field.tsx'
import { Field } from './field.tsx'
import { PasskeyButtons } from './passkey-buttons.tsx'
import { PasswordInput } from './password-input.tsx'
import { type FormCallOptions, useFormCall } from './use-call.ts'

interface Options<R> extends FormCallOptions<R> {
  /** The dashboard has refused the call without the password. */
  isAsked?: boolean
}

/**
 * A call that the form of a dialog sends, with a field for the password of the dashboard as soon as
 * that is needed, which the call sends with `confirm`. An account with a passkey confirms with it
 * before: a browser shows no passkey to a page behind the new tab that some calls open.
 */
export function useConfirmedCall<R>(
  call: (confirm: () => Promise<void>) => Promise<R>,
  { isAsked = false, ...options }: Options<R>,
) {
  const [password, setPassword] = useState('')
  const [isConfirming, setConfirming] = useState(isAsked)
  const [passkey, setPasskey] = useState<'asked' | 'used' | 'not at hand'>('asked')
  const { code, isMissing, codeField } = useCodeField({ isAsked: isConfirming, isAlways: true })
  const isByPasskey = useHasPasskey(isConfirming) && passkey !== 'not at hand'
  const confirm = async () => {
    if (!isByPasskey && password !== '') await confirmPassword({ password, ...code })
  }
  const { form, refusals, error } = useFormCall(() => call(confirm), {
    ...options,
    fields: ['password', 'code', ...(options.fields ?? [])],
  })
  const asks = isAsked || isConfirming || needsConfirmation(error)
  // It stays until the dialog is closed: the code is asked for after the password.
  if (asks && !isConfirming) setConfirming(true)
  return {
    form: {
      ...form,
      isBlocked: asks && (isByPasskey ? passkey !== 'used' : password === '' || isMissing),
      error: needsConfirmation(error) ? null : form.error,
    },
    refusals,
    passwordField:
      asks &&
      (isByPasskey ? (
        <PasskeyPart
          isUsed={passkey === 'used'}
          onDone={() => setPasskey('used')}
          onPassword={() => setPasskey('not at hand')}
        />
      ) : (
        <>
          <Field
            name="password"
            label="Your password of this dashboard"
            hint="You must enter it again after ten minutes."
            error={refusals.password}
          >
            <PasswordInput
              data-first
              value={password}
              onChange={({ target }) => setPassword(target.value)}
              autoComplete="current-password"
            />
          </Field>
          {codeField(refusals.code)}
        </>
      )),
  }
}

interface PasskeyPartProps extends ComponentProps<typeof PasskeyButtons> {
  isUsed: boolean
}

/** The part of a form that confirms with a passkey before the form is sent. */
function PasskeyPart({ isUsed, ...props }: PasskeyPartProps) {
  if (isUsed) return <p className="text-muted">You have confirmed this with your passkey.</p>
  return (
    <div className="flex flex-wrap gap-2">
      <PasskeyButtons {...props} />
    </div>
  )
}
