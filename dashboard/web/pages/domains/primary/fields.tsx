import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import type { Primary } from '#shared/domains/primary-domain.ts'

export type Choice = Primary

const FORMER: Record<Primary['former'], string> = {
  redirect: 'Redirect to the new primary domain (301)',
  alias: 'Keep as an alias that shows the site',
  none: 'Remove from the site',
}

const isFormer = (value: string): value is Primary['former'] => Object.hasOwn(FORMER, value)

interface PrimaryFieldsProps {
  /** The present primary domain. */
  present: string
  value: Choice
  onChange: (choice: Choice) => void
}

export function PrimaryFields({ present, value, onChange }: PrimaryFieldsProps) {
  return (
    <>
      <Field
        label="New primary domain"
        name="primary"
        hint="An alias, a redirect, or a new name. Its DNS records must point to this server."
      >
        <Input
          data-first
          value={value.primary}
          placeholder="shop.example.net"
          autoCapitalize="none"
          inputMode="url"
          onChange={({ target }) => onChange({ ...value, primary: target.value })}
        />
      </Field>
      <Field label={`What happens to ${present}`} name="former">
        <Select
          value={value.former}
          onChange={({ target }) => {
            if (isFormer(target.value)) onChange({ ...value, former: target.value })
          }}
        >
          {Object.entries(FORMER).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}
