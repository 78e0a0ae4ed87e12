import { Field as Base } from '@base-ui/react/field'
import type { ComponentProps, ReactElement } from 'react'
import { cx } from './cx.ts'
import type { Option } from './option.ts'

const CONTROL =
  'min-h-9 w-full rounded-lg border border-line-strong bg-surface px-3 py-1.5 text-sm text-text placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad'

interface Labels {
  label: string
  name: string
  /** What to enter, under the control. */
  hint?: string | undefined
  /** The error, in place of the hint. */
  error?: string | undefined
}

interface FieldProps extends Labels {
  /** The control: `Input`, `Select`, or another that Field.Control can render. */
  children: ReactElement
}

/** A labelled control; its error is announced by screen readers. */
export function Field({ label, name, hint, error, children }: FieldProps) {
  return (
    <Base.Root name={name} invalid={error !== undefined} className="flex flex-col gap-1.5">
      <Base.Label className="font-medium">{label}</Base.Label>
      <Base.Control render={children} />
      {hint && error === undefined && (
        <Base.Description className="text-xs text-muted">{hint}</Base.Description>
      )}
      <Base.Error match={error !== undefined} className="text-xs text-bad">
        {error}
      </Base.Error>
    </Base.Root>
  )
}

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return (
    <input autoComplete="off" spellCheck={false} {...props} className={cx(CONTROL, className)} />
  )
}

/** A text of several lines, such as a key. */
function TextArea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      autoComplete="off"
      spellCheck={false}
      rows={4}
      {...props}
      className={cx(CONTROL, 'font-mono text-xs', className)}
    />
  )
}

/** The list of the platform: it is fast and accessible, and fits a phone. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select {...props} className={cx(CONTROL, 'pr-8', className)} />
}

type TextProps<E extends 'input' | 'textarea'> = Labels &
  Omit<ComponentProps<E>, keyof Labels | 'value' | 'onChange'> & {
    value: string
    onChange: (text: string) => void
  }

/** A labelled text in one line. */
export function TextField({ label, name, hint, error, onChange, ...input }: TextProps<'input'>) {
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      <Input {...input} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}

/** A labelled text of several lines. */
export function TextAreaField({ label, name, hint, error, ...props }: TextProps<'textarea'>) {
  const { onChange, ...area } = props
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      <TextArea {...area} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}

/** A value of an option; null, undefined and '' are the empty one. */
type Value = string | number | boolean | null | undefined

const textOf = (value: Value) => String(value ?? '')

interface ChoiceProps<T extends Value> {
  value: T
  options: readonly Option<T>[]
  onChange: (value: T) => void
  disabled?: boolean
}

/** The props of a `Select` that chooses one of the options. */
export function selectProps<T extends Value>({ value, options, onChange }: ChoiceProps<T>) {
  return {
    value: textOf(value),
    onChange: ({ target }: { target: { value: string } }) => {
      const option = options.find((each) => textOf(each.value) === target.value)
      if (option) onChange(option.value)
    },
    children: options.map(({ value: each, name }) => (
      <option key={textOf(each)} value={textOf(each)}>
        {name}
      </option>
    )),
  }
}

/** A labelled choice of one of the options. */
export function SelectField<T extends Value>({
  label,
  name,
  hint,
  error,
  ...props
}: Labels & ChoiceProps<T>) {
  const { value, options, onChange, ...select } = props
  return (
    <Field label={label} name={name} hint={hint} error={error}>
      <Select {...select} {...selectProps({ value, options, onChange })} />
    </Field>
  )
}
