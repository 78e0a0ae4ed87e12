import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError } from '#dashboard/web/api/client.ts'
import { type MailSetting, type MailTarget, setMail } from '#dashboard/web/api/mail.ts'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { type Draft, draftOf, inputOf } from './draft.ts'
import { RelayFields } from './relay-fields.tsx'
import { RuleFields } from './rule-fields.tsx'

interface MailFormProps {
  target: MailTarget
  name: string
  setting: MailSetting
  open: boolean
  onClose: () => void
}

/** The relay and the sending rules; the page of the operation shows the result. */
export function MailForm({ name, open, onClose, ...form }: MailFormProps) {
  const isSite = form.target.site_id !== undefined
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Mail settings of ${name}`}
      about={
        isSite
          ? 'Empty fields use the settings of the server.'
          : 'For all sites of the server. A site can have settings of its own.'
      }
      wide
    >
      {open && <Form {...form} isSite={isSite} onClose={onClose} />}
    </Dialog>
  )
}

type FormProps = Pick<MailFormProps, 'target' | 'setting' | 'onClose'> & { isSite: boolean }

function Form({ target, setting, isSite, onClose }: FormProps) {
  const [draft, setDraft] = useState(() => draftOf(setting))
  const navigate = useNavigate()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => setMail(target, inputOf(draft)),
    onSuccess: (operation_id) =>
      navigate({ to: '/operations/$operation_id', params: { operation_id } }),
  })
  const refusals = error instanceof ApiError ? error.fields : {}
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const fields = { draft, change, refusals, isSite }
  return (
    <DialogForm
      action="Save mail settings"
      onSubmit={mutate}
      onCancel={onClose}
      isBusy={isPending}
      error={Object.keys(refusals).length === 0 ? error : null}
    >
      <RelayFields {...fields} hasPassword={setting.relay?.has_password ?? false} />
      <RuleFields {...fields} />
    </DialogForm>
  )
}
