import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { TIER_TEXTS, TLS_TEXTS } from '#dashboard/web/labels/site.ts'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { TIERS, TLS_MODES } from '#shared/kernel/values.ts'
import { Choice } from './choice.tsx'
import { DomainField } from './domain-field.tsx'
import type { Draft, Mistakes } from './draft.ts'
import { PhpField } from './php-field.tsx'
import { ServerChoice } from './server-choice.tsx'

interface FormFieldsProps {
  draft: Draft
  onChange: (change: Partial<Draft>) => void
  /** What the dashboard would refuse. */
  mistakes: Mistakes
  /** The refusals of the dashboard. */
  refusals: Readonly<Record<string, string>>
  /** Shows all mistakes, not only those of visited fields. */
  isStrict: boolean
  /** The address of the signed-in user. */
  email: string
}

const TIER_OPTIONS = TIERS.map((value) => ({ value, name: value, about: TIER_TEXTS[value] }))
const TLS_OPTIONS = [...TLS_MODES].reverse().map((value) => ({ value, ...TLS_TEXTS[value] }))

/** The fields below the list of servers appear with it, so that none moves under the pointer. */
export function FormFields({ draft, onChange, mistakes, refusals, ...props }: FormFieldsProps) {
  const { isStrict, email } = props
  const fleet = useQuery(fleetQuery)
  const shown = isStrict ? { ...mistakes, ...refusals } : refusals
  return (
    <>
      <DomainField
        value={draft.domain}
        server_id={draft.server_id}
        onChange={(domain) => onChange({ domain })}
        mistake={mistakes.domain}
        refusal={refusals.domain}
        isStrict={isStrict}
      />
      {fleet.data ? (
        <>
          <ServerChoice
            servers={fleet.data.servers}
            value={draft.server_id}
            onChange={(server_id) => onChange({ server_id, php: '' })}
            error={shown.server_id}
          />
          <PhpField
            server_id={draft.server_id}
            value={draft.php}
            onChange={(php) => onChange({ php })}
            error={shown.php}
          />
          <Choice
            label="Tier"
            name="tier"
            value={draft.tier}
            options={TIER_OPTIONS}
            onChange={(tier) => onChange({ tier })}
          />
          <Choice
            label="TLS"
            name="tls"
            value={draft.tls}
            options={TLS_OPTIONS}
            onChange={(tls) => onChange({ tls })}
          />
          <Field
            label="Email"
            name="email"
            error={shown.email}
            hint="Of the WordPress administrator, and for notices about the certificate."
          >
            <Input
              type="email"
              value={draft.email}
              onChange={(event) => onChange({ email: event.target.value })}
              placeholder={email}
            />
          </Field>
        </>
      ) : (
        <QueryState of={fleet} rows={8} />
      )}
    </>
  )
}
