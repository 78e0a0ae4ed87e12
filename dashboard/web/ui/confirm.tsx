import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog, type DialogState } from './dialog.tsx'
import { DialogForm } from './dialog-form.tsx'

interface ConfirmProps extends DialogState {
  title: string
  /** What will happen, and whether and how it can be undone. */
  children: ReactNode
  /** The label of the button: verb and noun. */
  action: string
  /** The label of the other button, if Cancel would be ambiguous. */
  keep?: string
  /** It deletes something or cannot be undone. Default: true if the name is typed. */
  isDestructive?: boolean
  /** The text to type before a permanent deletion. */
  typed?: string
  /** Runs the action; an error is shown in the dialog. */
  onConfirm: () => Promise<unknown>
}

/** Asks for confirmation; a permanent deletion asks for the name. */
export function Confirm(props: ConfirmProps) {
  const { open, onClose, title } = props
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      {open && <Question {...props} />}
    </Dialog>
  )
}

function Question({ onClose, children, action, keep, typed, onConfirm, ...props }: ConfirmProps) {
  const { isDestructive = typed !== undefined } = props
  const { mutate, isPending, error } = useMutation({ mutationFn: onConfirm, onSuccess: onClose })
  return (
    <DialogForm
      action={action}
      onSubmit={() => mutate()}
      onCancel={onClose}
      isBusy={isPending}
      error={error}
      isDestructive={isDestructive}
      typed={typed}
      {...(keep && { cancel: keep })}
    >
      <div className="text-muted">{children}</div>
    </DialogForm>
  )
}
