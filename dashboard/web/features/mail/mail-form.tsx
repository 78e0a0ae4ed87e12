import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError } from '#dashboard/web/api/client.ts'
import { type MailSetting, type MailTarget, setMail } from '#dashboard/web/api/mail.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
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
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const fields = { draft, change, refusals, isSite }
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-4">
      <RelayFields {...fields} hasPassword={setting.relay?.has_password ?? false} />
      <RuleFields {...fields} />
      {error && Object.keys(refusals).length === 0 && <Failure error={error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" kind="primary" busy={isPending}>
          Save mail settings
        </Button>
      </div>
    </form>
  )
}
