import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addTarget, changeTarget, targetsQuery } from '#dashboard/web/api/backups.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { KIND_NAMES } from '#dashboard/web/labels/backup.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { type Draft, draftOf, inputOf, mistakesOf, refusalsOf } from './draft.ts'
import { KIND_FIELDS } from './fields.ts'
import { KindField, PlaceFields } from './place-fields.tsx'

interface TargetFormProps extends DialogState {
  /** Undefined: a new one. */
  target: BackupTargetView | undefined
}

/** Adds a target, or changes one. */
export function TargetForm({ target, open, onClose }: TargetFormProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={target ? `Edit ${target.name}` : 'Add backup target'}
      about="Check it from a server afterwards: it is used from then on."
      wide
    >
      {open && <Form target={target} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ target, onClose }: Omit<TargetFormProps, 'open'>) {
  const [draft, setDraft] = useState(() => draftOf(target))
  const [isTried, setIsTried] = useState(false)
  const client = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () =>
      target ? changeTarget(target.id, inputOf(draft)) : addTarget(inputOf(draft)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: targetsQuery.queryKey })
      toast(target ? 'The target was changed' : 'The target was added. Check it from a server.')
      onClose()
    },
  })
  const mistakes = mistakesOf(draft)
  const refused = refusalsOf(refusalsIn(error))
  const refusals = isTried ? { ...refused, ...mistakes } : refused
  const submit = () => {
    setIsTried(true)
    if (Object.keys(mistakes).length === 0) mutate()
  }
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  return (
    <DialogForm
      action={target ? 'Save target' : 'Add target'}
      onSubmit={submit}
      onCancel={onClose}
      isBusy={isPending}
      error={Object.keys(refused).some((name) => name in draft) ? null : error}
    >
      <Field label="Name" name="name" error={refusals.name} hint="Shown in lists.">
        <Input
          value={draft.name}
          maxLength={64}
          onChange={({ target: { value } }) => change({ name: value })}
        />
      </Field>
      <KindField {...{ draft, change }} names={KIND_NAMES} hint={KIND_FIELDS[draft.kind].about} />
      <PlaceFields {...{ draft, change, refusals }} isNew={target?.place.kind !== draft.kind} />
    </DialogForm>
  )
}
