import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { type MailTarget, testMail } from '#dashboard/web/api/mail.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'

interface MailTestProps extends DialogState {
  target: MailTarget
  name: string
}

/** Sends one message; the page of the operation shows the response of the relay. */
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
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => testMail(target, to.trim()),
    onSuccess: useOpenOperation(),
  })
  const refused = refusalsIn(error).to
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
