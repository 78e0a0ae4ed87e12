import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { totpQuery } from '#dashboard/web/api/account.ts'
import { TextField } from './field.tsx'

/**
 * A field for the code of an account with two-factor authentication, beside that of the password;
 * other accounts have none. `code` is the part of a body that has it.
 */
export function useCodeField(isAsked = true) {
  const [text, setText] = useState('')
  const { data } = useQuery({ ...totpQuery, enabled: isAsked })
  const isNeeded = isAsked && data?.enabled === true
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
