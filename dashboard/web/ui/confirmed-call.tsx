import { useState } from 'react'
import { confirmPassword, needsConfirmation } from '#dashboard/web/api/wp-login.ts'
import { useCodeField } from './code-field.tsx'
import { Field } from './field.tsx'
import { PasswordInput } from './password-input.tsx'
import { type FormCallOptions, useFormCall } from './use-call.ts'

interface Options<R> extends FormCallOptions<R> {
  /** The dashboard has refused the call without the password. */
  isAsked?: boolean
}

/**
 * A call that the form of a dialog sends, with a field for the password of the dashboard as soon as
 * that is needed. The call sends the password with `confirm`.
 */
export function useConfirmedCall<R>(
  call: (confirm: () => Promise<void>) => Promise<R>,
  { isAsked = false, ...options }: Options<R>,
) {
  const [password, setPassword] = useState('')
  const [isConfirming, setConfirming] = useState(isAsked)
  const { code, isMissing, codeField } = useCodeField(isConfirming)
  const confirm = async () => {
    if (password !== '') await confirmPassword({ password, ...code })
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
      isBlocked: asks && (password === '' || isMissing),
      error: needsConfirmation(error) ? null : form.error,
    },
    refusals,
    passwordField: asks && (
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
    ),
  }
}
