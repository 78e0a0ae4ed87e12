import { TextAreaField, TextField } from '#dashboard/web/ui/field.tsx'
import { PHP_LIMITS, PHP_VALUES, type PhpLimit } from '#shared/kernel/php-values.ts'
import type { PhpDraft } from './php-draft.ts'

export const LABELS: Record<PhpLimit, { name: string; unit: string }> = {
  memory_limit: { name: 'Memory of a request', unit: 'MB' },
  upload: { name: 'Size of an upload', unit: 'MB' },
  execution_time: { name: 'Time of a request', unit: 'seconds' },
  input_vars: { name: 'Fields of a form', unit: '' },
}

interface PhpFieldsProps {
  draft: PhpDraft
  /**
   * The usual and the highest value of each limit in the tier; undefined when the sites have
   * several tiers.
   */
  ranges?: Record<PhpLimit, { usual: number; most: number }>
  onChange: (draft: PhpDraft) => void
}

/** The limits of PHP and other settings of php.ini. */
export function PhpFields({ draft, ranges, onChange }: PhpFieldsProps) {
  const hintOf = (name: PhpLimit) => {
    const { unit } = LABELS[name]
    if (!ranges) return `${unit}. Empty: as the tier of each site.`.replace(/^\. /, '')
    const { usual, most } = ranges[name]
    return `${unit} ${usual} as its tier, at most ${most}`.trim()
  }
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        {PHP_LIMITS.map((name) => (
          <TextField
            key={name}
            name={name}
            label={LABELS[name].name}
            hint={hintOf(name)}
            inputMode="numeric"
            placeholder={ranges && String(ranges[name].usual)}
            value={draft[name]}
            onChange={(text) => onChange({ ...draft, [name]: text })}
          />
        ))}
      </div>
      <TextAreaField
        name="values"
        label="Other settings of php.ini"
        hint={`One in each line: max_file_uploads = 50. These can be set: ${Object.keys(PHP_VALUES).join(', ')}.`}
        value={draft.values}
        onChange={(values) => onChange({ ...draft, values })}
      />
    </>
  )
}
