import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { DialogForm } from './dialog-form.tsx'

interface ConfirmProps {
  open: boolean
  onClose: () => void
  title: string
  /** What will happen, and whether and how it can be undone. */
  children: ReactNode
  /** What the button says: the act itself. */
  action: string
  /** What the other button says, where Cancel could be misread. */
  keep?: string
  /** It cannot be undone, or takes something away. Default: what asks for the name is. */
  isDestructive?: boolean
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
