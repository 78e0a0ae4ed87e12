import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Field, Input, Select, TextArea } from '#dashboard/web/ui/field.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { useNow } from '#dashboard/web/ui/time.tsx'
import type { Draft, Mistakes } from './draft.ts'
import { previewOf, SCHEDULES } from './schedules.ts'

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

interface ScheduleFieldsProps {
  value: string
  onChange: (schedule: string) => void
}

/** A frequent schedule or five fields, with the next runs. */
function ScheduleFields({ value, onChange }: ScheduleFieldsProps) {
  const { runs, problem } = previewOf(value, useNow())
  const isKnown = SCHEDULES.some(({ schedule }) => schedule === value)
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <Field label="Frequency" name="frequency">
        <Select
          value={isKnown ? value : ''}
          onChange={({ target }) => target.value !== '' && onChange(target.value)}
        >
          {SCHEDULES.map(({ name, schedule }) => (
            <option key={schedule} value={schedule}>
              {name}
            </option>
          ))}
          <option value="">Own schedule</option>
        </Select>
      </Field>
      <Field
        label="Schedule (UTC)"
        name="schedule"
        hint="Minute, hour, day of the month, month, day of the week: 30 3 * * 1-5"
        error={problem}
      >
        <Input
          className="font-mono"
          value={value}
          autoCapitalize="none"
          onChange={({ target }) => onChange(target.value)}
        />
      </Field>
      {runs.length > 0 && (
        <section aria-label="Next runs" className="text-xs">
          <p className="font-medium">Next runs</p>
          <ul className="text-muted tabular-nums">
            {runs.map((at) => (
              <li key={at}>
                {at.slice(0, 16).replace('T', ' ')} UTC, {formatTime(at)} here
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
