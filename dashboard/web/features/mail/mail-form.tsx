import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { type MailTarget, setMail } from '#dashboard/web/api/mail.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import type { MailSettingView } from '#shared/mail/api/mail.ts'
import { type Draft, draftOf, inputOf } from './draft.ts'
import { RelayFields, RuleFields } from './mail-fields.tsx'

interface MailFormProps extends DialogState {
  target: MailTarget
  name: string
  setting: MailSettingView
}

/** The relay and the sending rules; the page of the operation shows the result. */
export function MailForm({ name, ...props }: MailFormProps) {
  const { open, onClose, target } = props
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Mail settings of ${name}`}
      about={
        target.site_id === undefined
          ? 'For all sites of the server. A site can have settings of its own.'
          : 'Empty fields use the settings of the server.'
      }
      wide
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ target, setting, onClose }: Omit<MailFormProps, 'name'>) {
  const [draft, setDraft] = useState(() => draftOf(setting))
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => setMail(target, inputOf(draft)),
    onSuccess: useOpenOperation(),
  })
  const refusals = refusalsIn(error)
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const fields = { draft, change, refusals, isSite: target.site_id !== undefined }
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
