import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { totpQuery } from '#dashboard/web/api/account.ts'
import { passkeysQuery } from '#dashboard/web/api/passkeys.ts'
import { TextField } from './field.tsx'

interface CodeFieldOptions {
  /** Whether the form asks for it now. Default true. */
  isAsked?: boolean
  /** Whether the call takes a code only, and no passkey. */
  isAlways?: boolean
}

/** Whether the account has a passkey, which replaces codes: it is used where a call asks for it. */
export function useHasPasskey(isAsked = true): boolean {
  const { data } = useQuery({ ...passkeysQuery, enabled: isAsked })
  return isAsked && data !== undefined && data.passkeys.length > 0
}

/**
 * A field for the code of an account with an authenticator app, beside that of the password; other
 * accounts have none. `code` is the part of a body that has it.
 */
export function useCodeField({ isAsked = true, isAlways = false }: CodeFieldOptions = {}) {
  const [text, setText] = useState('')
  const { data } = useQuery({ ...totpQuery, enabled: isAsked })
  const hasPasskey = useHasPasskey(isAsked && !isAlways)
  const isNeeded = isAsked && data?.enabled === true && !hasPasskey
  return {
    code: isNeeded ? { code: text } : {},
    isMissing: isNeeded && text.trim() === '',
    clear: () => setText(''),
    codeField: (refusal: string | undefined) =>
      isNeeded && (
        <TextField
          name="code"
          label="Authentication code"
          hint="From your authenticator app, or a recovery code."
          error={refusal}
          autoComplete="one-time-code"
          maxLength={64}
          value={text}
          onChange={setText}
        />
      ),
  }
}
