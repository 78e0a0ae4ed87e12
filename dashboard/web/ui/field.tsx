import { Field as Base } from '@base-ui/react/field'
import type { ComponentProps, ReactElement } from 'react'
import { cx } from './cx.ts'

const CONTROL =
  'min-h-9 w-full rounded-lg border border-line-strong bg-surface px-3 py-1.5 text-sm text-text placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad'

interface FieldProps {
  label: string
  name: string
  /** What to enter, under the control. */
  hint?: string
  /** The error, in place of the hint. */
  error?: string | undefined
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
export function TextArea({ className, ...props }: ComponentProps<'textarea'>) {
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

/** The platform's own list: it is fast, accessible, and right on a phone. */
export function Select({ className, ...props }: ComponentProps<'select'>) {
  return <select {...props} className={cx(CONTROL, 'pr-8', className)} />
}
