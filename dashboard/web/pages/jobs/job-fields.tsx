import { CheckField } from '#dashboard/web/ui/check.tsx'
import { SelectField, TextAreaField, TextField } from '#dashboard/web/ui/field.tsx'
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
export const JobFields = ({ draft, mistakes, onChange }: JobFieldsProps) => (
  <>
    <TextField
      label="Name"
      name="name"
      hint="1 to 32 of a-z 0-9 -"
      error={draft.name === '' ? undefined : mistakes.name}
      value={draft.name}
      autoCapitalize="none"
      onChange={(name) => onChange({ name })}
    />
    <TextAreaField
      label="Command"
      name="command"
      hint="One line for /bin/sh in the public folder of the site. php and wp are those of the site."
      error={draft.command === '' ? undefined : mistakes.command}
      rows={2}
      value={draft.command}
      onChange={(command) => onChange({ command })}
    />
    <CheckField
      label="Run on a schedule"
      about="Otherwise it runs only on request."
      checked={draft.enabled}
      onChange={(enabled) => onChange({ enabled })}
    />
    {draft.enabled && (
      <ScheduleFields value={draft.schedule} onChange={(schedule) => onChange({ schedule })} />
    )}
    <TextField
      label="Time limit in minutes"
      name="max_minutes"
      hint="A run that takes longer is ended."
      error={mistakes.max_minutes}
      inputMode="numeric"
      value={draft.max_minutes}
      onChange={(max_minutes) => onChange({ max_minutes })}
    />
  </>
)

interface ScheduleFieldsProps {
  value: string
  onChange: (schedule: string) => void
}

/** A frequent schedule or five fields, with the next runs. */
function ScheduleFields({ value, onChange }: ScheduleFieldsProps) {
  const { runs, problem } = previewOf(value, useNow())
  const isListed = SCHEDULES.some(({ schedule }) => schedule === value)
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <SelectField
        label="Frequency"
        name="frequency"
        value={isListed ? value : ''}
        options={[
          ...SCHEDULES.map(({ name, schedule }) => ({ value: schedule, name })),
          { value: '', name: 'Own schedule' },
        ]}
        onChange={(schedule) => schedule !== '' && onChange(schedule)}
      />
      <TextField
        label="Schedule (UTC)"
        name="schedule"
        hint="Minute, hour, day of the month, month, day of the week: 30 3 * * 1-5"
        error={problem}
        className="font-mono"
        value={value}
        autoCapitalize="none"
        onChange={onChange}
      />
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
