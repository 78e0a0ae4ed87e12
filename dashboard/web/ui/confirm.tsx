import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogFooter } from './dialog.tsx'
import { Failure } from './states.tsx'
import { TypedName } from './typed-name.tsx'

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

function Question(props: ConfirmProps) {
  const { onClose, children, action, keep, typed, onConfirm } = props
  const { isDestructive = typed !== undefined } = props
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
      <DialogFooter
        onCancel={onClose}
        {...(keep && { cancel: keep })}
        above={
          <>
            {typed !== undefined && <TypedName of={typed} value={text} onChange={setText} />}
            {error && <Failure error={error} />}
          </>
        }
      >
        <Button
          type="submit"
          kind={isDestructive ? 'danger' : 'primary'}
          disabled={!isMeant}
          busy={isPending}
        >
          {action}
        </Button>
      </DialogFooter>
    </form>
  )
}
