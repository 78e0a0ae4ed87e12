import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addTarget, changeTarget, targetsQuery } from '#dashboard/web/api/backups.ts'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { KIND_NAMES } from '#dashboard/web/labels/backup.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, Select, TextArea } from '#dashboard/web/ui/field.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { BackupTargetView } from '#shared/api/backups.ts'
import {
  type Draft,
  draftOf,
  type FieldName,
  inputOf,
  type Kind,
  mistakesOf,
  refusalsOf,
} from './draft.ts'
import { KIND_FIELDS } from './fields.ts'

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
      <Field label="Kind" name="kind" hint={KIND_FIELDS[draft.kind].about}>
        <Select
          value={draft.kind}
          onChange={({ target: { value } }) => change({ kind: value as Kind, secret: '' })}
        >
          {Object.entries(KIND_NAMES).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <PlaceFields {...{ draft, change, refusals }} isNew={target?.place.kind !== draft.kind} />
    </DialogForm>
  )
}

interface PlaceFieldsProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  refusals: Readonly<Record<string, string>>
  isNew: boolean
}

function PlaceFields({ draft, change, refusals, isNew }: PlaceFieldsProps) {
  const control = (name: FieldName) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  })
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {KIND_FIELDS[draft.kind].fields.map(({ name, label, hint, placeholder, type }) => {
        const isSecret = name === 'secret'
        const texts = { ...control(name), placeholder }
        const kept = isSecret && !isNew ? 'Leave empty to keep the current one.' : hint
        return (
          <div key={name} className={type === 'lines' ? 'sm:col-span-2' : undefined}>
            <Field label={label} name={name} error={refusals[name]} {...(kept && { hint: kept })}>
              {type === 'lines' ? (
                <TextArea {...texts} />
              ) : (
                <Input {...texts} {...(type && { type, autoComplete: 'new-password' })} />
              )}
            </Field>
          </div>
        )
      })}
    </div>
  )
}
