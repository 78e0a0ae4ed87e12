import { type FormEvent, useState } from 'react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import type { BackupWindow as Times } from '#shared/backups/backup-schedule.ts'
import { useSave } from './use-save.ts'

/** The times between which backups start, with one save button. */
export function BackupWindow({ value }: { value: Times }) {
  const [draft, setDraft] = useState<Times>()
  const { save, isPending, refusal, reset } = useSave('backup_window', 'Backup window')
  const times = draft ?? value
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(times, { onSuccess: () => setDraft(undefined) })
  }
  const timeOf = (key: keyof Times) => ({
    type: 'time',
    value: times[key],
    className: 'tabular-nums',
    onChange: ({ target }: { target: { value: string } }) => {
      reset()
      setDraft({ ...times, [key]: target.value })
    },
  })
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-start gap-3">
      <div className="w-full sm:w-72">
        <Field
          name="backup_window_from"
          label="Backups start from"
          hint="UTC. The sites are spread over the time until the second field."
          error={refusal}
        >
          <Input {...timeOf('from')} />
        </Field>
      </div>
      <div className="w-full sm:w-40">
        <Field name="backup_window_to" label="until" hint="UTC. May be on the next day.">
          <Input {...timeOf('to')} />
        </Field>
      </div>
      {draft !== undefined && (
        <div className="flex gap-2 sm:mt-[1.625rem]">
          <Button type="submit" kind="primary" busy={isPending}>
            Save
          </Button>
          <Button
            kind="quiet"
            onClick={() => {
              reset()
              setDraft(undefined)
            }}
          >
            Cancel
          </Button>
        </div>
      )}
    </form>
  )
}
