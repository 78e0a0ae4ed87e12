import { useState } from 'react'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { unicodeOf } from '#dashboard/web/ui/unicode-domain.ts'
import { canonicalDomain } from '#shared/names.ts'
import { useName } from './use-name.ts'

interface DomainFieldProps {
  value: string
  onChange: (domain: string) => void
  /** Where it is to be. */
  server_id: number | undefined
  /** What is wrong with it, by the rules that the dashboard has. */
  mistake: string | undefined
  /** What the dashboard said of it. */
  refusal: string | undefined
  /** A mistake is shown also before it was left. */
  isStrict: boolean
}

/** The domain, checked as it is typed; letters beyond ASCII are shown as they go over the wire. */
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
