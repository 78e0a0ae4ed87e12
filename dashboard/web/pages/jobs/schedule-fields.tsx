import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { useNow } from '#dashboard/web/ui/time.tsx'
import { previewOf, SCHEDULES } from './schedules.ts'

interface ScheduleFieldsProps {
  value: string
  onChange: (schedule: string) => void
}

/** A frequent schedule or five fields, with the next runs. */
export function ScheduleFields({ value, onChange }: ScheduleFieldsProps) {
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
