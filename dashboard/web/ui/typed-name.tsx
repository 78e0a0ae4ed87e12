import { Field, Input } from './field.tsx'

interface TypedNameProps {
  /** The text to type. */
  of: string
  value: string
  onChange: (value: string) => void
}

/** Asks for the name of the object to delete. */
export function TypedName({ of, value, onChange }: TypedNameProps) {
  return (
    <Field label={`Type ${of} to confirm`} name="confirm">
      <Input data-first value={value} onChange={(event) => onChange(event.target.value)} />
    </Field>
  )
}
