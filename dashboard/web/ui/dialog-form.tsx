import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { DialogFooter } from './dialog.tsx'
import { Field, Input } from './field.tsx'
import { PasswordPrompt } from './password-prompt.tsx'
import { Failure } from './states.tsx'

interface DialogFormProps {
  /** The label of the button: verb and noun. Undefined: there is nothing to do. */
  action: string | undefined
  onSubmit: () => void
  onCancel: () => void
  /** The label of the other button, if Cancel would be ambiguous. */
  cancel?: string
  /** A choice or a permission is missing. */
  isBlocked?: boolean
  isBusy: boolean
  error?: unknown
  isDestructive?: boolean
  /** The text to type before an action that cannot be undone. */
  typed?: string | undefined
  children?: ReactNode
}

/** The form of every dialog that starts an action: explanation, Cancel and the action. */
export function DialogForm(props: DialogFormProps) {
  const { action, onSubmit, onCancel, cancel = 'Cancel', isBlocked = false, isBusy } = props
  const { error, isDestructive = false, typed, children } = props
  const [text, setText] = useState('')
  const isReady = !isBlocked && (typed === undefined || text.trim().normalize('NFC') === typed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady && !isBusy && action !== undefined) onSubmit()
  }
  const form = (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      {children}
      <DialogFooter
        onCancel={onCancel}
        cancel={cancel}
        above={
          <>
            {typed !== undefined && (
              <Field label={`Type ${typed} to confirm`} name="confirm">
                <Input data-first value={text} onChange={(event) => setText(event.target.value)} />
              </Field>
            )}
            {error !== undefined && error !== null && <Failure error={error} />}
          </>
        }
      >
        {action !== undefined && (
          <Button
            type="submit"
            kind={isDestructive ? 'danger' : 'primary'}
            disabled={!isReady}
            busy={isBusy}
          >
            {action}
          </Button>
        )}
      </DialogFooter>
    </form>
  )
  return (
    <>
      {form}
      <PasswordPrompt />
    </>
  )
}
