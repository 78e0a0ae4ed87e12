import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Field, Input, TextArea } from '#dashboard/web/ui/field.tsx'
import type { Draft, Mistakes } from './draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'

interface JobFieldsProps {
  draft: Draft
  mistakes: Mistakes
  onChange: (part: Partial<Draft>) => void
}

/** The fields of one job. */
export function JobFields({ draft, mistakes, onChange }: JobFieldsProps) {
  return (
    <>
      <Field
        label="Name"
        name="name"
        hint="1 to 32 of a-z 0-9 -"
        error={draft.name === '' ? undefined : mistakes.name}
      >
        <Input
          value={draft.name}
          autoCapitalize="none"
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </Field>
      <Field
        label="Command"
        name="command"
        hint="One line for /bin/sh in the public folder of the site. php and wp are those of the site."
        error={draft.command === '' ? undefined : mistakes.command}
      >
        <TextArea
          rows={2}
          value={draft.command}
          onChange={({ target }) => onChange({ command: target.value })}
        />
      </Field>
      <CheckField
        label="Run on a schedule"
        about="Otherwise it runs only on request."
        checked={draft.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
      {draft.enabled && (
        <ScheduleFields value={draft.schedule} onChange={(schedule) => onChange({ schedule })} />
      )}
      <Field
        label="Time limit in minutes"
        name="max_minutes"
        hint="A run that takes longer is ended."
        error={mistakes.max_minutes}
      >
        <Input
          inputMode="numeric"
          value={draft.max_minutes}
          onChange={({ target }) => onChange({ max_minutes: target.value })}
        />
      </Field>
    </>
  )
}
