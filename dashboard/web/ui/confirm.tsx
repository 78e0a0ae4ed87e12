import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field, Input } from './field.tsx'
import { Failure } from './states.tsx'

interface ConfirmProps {
  open: boolean
  onClose: () => void
  title: string
  /** What will happen, and whether and how it can be undone. */
  children: ReactNode
  /** What the button says: the act itself. */
  action: string
  /** What the other button says: that it is not done. */
  keep?: string
  /** To be typed, for what destroys something. */
  typed?: string
  /** Does it; what it throws is shown, and the dialog stays. */
  onConfirm: () => Promise<unknown>
}

/** Asks before it is done; what destroys something asks for the name. */
export function Confirm(props: ConfirmProps) {
  const { open, onClose, title } = props
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      {open && <Question {...props} />}
    </Dialog>
  )
}

function Question(props: ConfirmProps) {
  const { onClose, children, action, keep = 'Keep it', typed, onConfirm } = props
  const [text, setText] = useState('')
  const { mutate, isPending, error } = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  const isMeant = typed === undefined || text.trim() === typed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isMeant && !isPending) mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="text-muted">{children}</div>
      {typed !== undefined && (
        <Field label={`Type ${typed} to confirm`} name="confirm">
          <Input value={text} onChange={(event) => setText(event.target.value)} autoFocus />
        </Field>
      )}
      {error && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{keep}</Button>
        <Button
          type="submit"
          kind={typed === undefined ? 'primary' : 'danger'}
          disabled={!isMeant}
          busy={isPending}
        >
          {action}
        </Button>
      </div>
    </form>
  )
}
