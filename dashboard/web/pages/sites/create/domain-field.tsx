import { useState } from 'react'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { unicodeOf } from '#dashboard/web/ui/unicode-domain.ts'
import { canonicalDomain } from '#shared/names.ts'
import { useName } from './use-name.ts'

interface DomainFieldProps {
  value: string
  onChange: (domain: string) => void
  /** The chosen server. */
  server_id: number | undefined
  /** What is wrong with it, by the rules that the dashboard has. */
  mistake: string | undefined
  /** The refusal of the dashboard. */
  refusal: string | undefined
  /** Mistakes are shown before the field was left. */
  isStrict: boolean
}

/** The domain, checked while it is typed; letters beyond ASCII are shown in their DNS form. */
export function DomainField({ value, onChange, server_id, ...props }: DomainFieldProps) {
  const { mistake, refusal, isStrict } = props
  const [wasLeft, setLeft] = useState(false)
  const canonical = canonicalDomain(value.trim())
  const { taken, also } = useName(mistake === undefined ? canonical : undefined, server_id)
  const isShown = isStrict || (wasLeft && value !== '')
  return (
    <Field
      label="Domain"
      name="domain"
      hint={also ?? hintOf(value.trim(), canonical)}
      error={refusal ?? taken ?? (isShown ? mistake : undefined)}
    >
      <Input
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => setLeft(true)}
        placeholder="shop.example.com"
        autoCapitalize="none"
        inputMode="url"
        autoFocus
      />
    </Field>
  )
}

function hintOf(typed: string, canonical: string | undefined): string {
  if (canonical === undefined) return 'Without http:// and without a path. www. works as well.'
  const spelled = unicodeOf(canonical)
  if (spelled !== canonical) return `${spelled}, in DNS ${canonical}`
  return typed === canonical ? 'Valid domain.' : `Becomes ${canonical}`
}
