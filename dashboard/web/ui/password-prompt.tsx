import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState, useSyncExternalStore } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { type PasswordRequest, passwordRequest } from '#dashboard/web/api/password-confirmation.ts'
import { confirmPassword } from '#dashboard/web/api/wp-login.ts'
import { Button } from './button.tsx'
import { useCodeField, useHasPasskey } from './code-field.tsx'
import { Dialog, DialogFooter } from './dialog.tsx'
import { Field } from './field.tsx'
import { PasskeyButtons } from './passkey-buttons.tsx'
import { PasswordInput } from './password-input.tsx'
import { Failure } from './states.tsx'

/** The places that can show the prompt: the last one does, since dialogs are modal. */
const places: symbol[] = []
const watching = new Set<() => void>()

function watchPlaces(listener: () => void): () => void {
  watching.add(listener)
  return () => watching.delete(listener)
}

/** Asks for the password of the dashboard when a call needs it: above the dialog that it stands in. */
export function PasswordPrompt() {
  const [place] = useState(() => Symbol('place'))
  useEffect(() => {
    places.push(place)
    for (const listener of watching) listener()
    return () => {
      places.splice(places.indexOf(place), 1)
      for (const listener of watching) listener()
    }
  }, [place])
  const isLast = useSyncExternalStore(watchPlaces, () => places.at(-1) === place)
  const request = useSyncExternalStore(passwordRequest.subscribe, passwordRequest.current)
  return isLast && request ? <Prompt request={request} /> : null
}

function Prompt({ request }: { request: PasswordRequest }) {
  const hasPasskey = useHasPasskey()
  const [isPassword, setPassword] = useState(false)
  const isByPasskey = hasPasskey && !isPassword
  return (
    <Dialog
      open
      onClose={request.cancel}
      title={isByPasskey ? 'Confirm with your passkey' : 'Confirm your password'}
      about={`This change needs ${isByPasskey ? 'a passkey' : 'the password'} of your account. You must ${isByPasskey ? 'use' : 'enter'} it again after ten minutes.`}
    >
      {isByPasskey ? (
        <DialogFooter onCancel={request.cancel}>
          <PasskeyButtons onDone={request.done} onPassword={() => setPassword(true)} />
        </DialogFooter>
      ) : (
        <ByPassword request={request} />
      )}
    </Dialog>
  )
}

function ByPassword({ request }: { request: PasswordRequest }) {
  const [password, setPassword] = useState('')
  const { code, isMissing, codeField } = useCodeField({ isAlways: true })
  const { mutate, isPending, error } = useMutation({
    gcTime: 0,
    mutationFn: () => confirmPassword({ password, ...code }),
    onSuccess: request.done,
  })
  const refusals = refusalsIn(error)
  const refusal = refusals.password
  const isReady = password !== '' && !isMissing
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    if (isReady && !isPending) mutate()
  }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <Field name="password" label="Your password of this dashboard" error={refusal}>
        <PasswordInput
          data-first
          value={password}
          onChange={({ target }) => setPassword(target.value)}
          autoComplete="current-password"
        />
      </Field>
      {codeField(refusals.code)}
      <DialogFooter
        onCancel={request.cancel}
        above={error && Object.keys(refusals).length === 0 ? <Failure error={error} /> : undefined}
      >
        <Button type="submit" kind="primary" disabled={!isReady} busy={isPending}>
          Confirm password
        </Button>
      </DialogFooter>
    </form>
  )
}
