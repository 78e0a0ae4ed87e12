import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '#dashboard/web/api/client.ts'
import { type MailTarget, testMail } from '#dashboard/web/api/mail.ts'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'

interface MailTestProps {
  target: MailTarget
  name: string
  open: boolean
  onClose: () => void
}

/** Sends one message; the page of the operation shows what the relay says. */
export function MailTest({ target, name, open, onClose }: MailTestProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Test the mail of ${name}`}
      about="Sends one message to the relay and shows every line of its response."
    >
      {open && <Form target={target} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ target, onClose }: Pick<MailTestProps, 'target' | 'onClose'>) {
  const [to, setTo] = useState('')
  const navigate = useNavigate()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => testMail(target, to.trim()),
    onSuccess: (operation_id) =>
      navigate({ to: '/operations/$operation_id', params: { operation_id } }),
  })
  const refused = error instanceof ApiError ? error.fields.to : undefined
  return (
    <DialogForm
      action="Send test message"
      onSubmit={mutate}
      onCancel={onClose}
      isBlocked={to.trim() === ''}
      isBusy={isPending}
      error={refused ? null : error}
    >
      <Field label="Recipient" name="to" hint="Such as your own address." error={refused}>
        <Input
          type="email"
          autoComplete="email"
          value={to}
          onChange={(event) => setTo(event.target.value)}
        />
      </Field>
    </DialogForm>
  )
}
