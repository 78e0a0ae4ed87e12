import { Field, Input, Select, TextArea } from '#dashboard/web/ui/field.tsx'
import type { Draft, FieldName, Kind } from './draft.ts'
import { KIND_FIELDS } from './fields.ts'

interface PlaceFieldsProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  refusals: Readonly<Record<string, string>>
  /** Whether its secret must be entered. */
  isNew: boolean
}

interface KindFieldProps extends Pick<PlaceFieldsProps, 'draft' | 'change'> {
  names: Readonly<Record<Kind, string>>
  hint: string
}

/** The kind of a place; another kind needs another secret. */
export function KindField({ draft, change, names, hint }: KindFieldProps) {
  return (
    <Field label="Kind" name="kind" hint={hint}>
      <Select
        value={draft.kind}
        onChange={({ target: { value } }) => change({ kind: value as Kind, secret: '' })}
      >
        {Object.entries(names).map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </Select>
    </Field>
  )
}

/** The fields of the kind of a place, and its secret. */
export function PlaceFields({ draft, change, refusals, isNew }: PlaceFieldsProps) {
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
