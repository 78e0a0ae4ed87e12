import { REWRITE_WORDS } from '#dashboard/web/labels/mail.ts'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { DEFAULT_HOURLY_LIMIT, DEFAULT_REWRITE } from '#shared/mail.ts'
import { REWRITES } from '#shared/values.ts'
import type { FieldsProps } from './relay-fields.tsx'

/** Rules for every relay. */
export function RuleFields({ draft, change, refusals, isSite }: FieldsProps) {
  const server = 'Same as the server'
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="From address"
        name="from_address"
        hint="Used in From when an address is replaced. The original address moves to Reply-To."
        error={refusals.from_address}
      >
        <Input
          type="email"
          value={draft.from_address}
          onChange={({ target }) => change({ from_address: target.value })}
        />
      </Field>
      <Field label="Replaced in From" name="rewrite_from" error={refusals.rewrite_from}>
        <Select
          value={draft.rewrite_from}
          onChange={({ target }) => change({ rewrite_from: target.value })}
        >
          <option value="">
            {isSite ? server : `${REWRITE_WORDS[DEFAULT_REWRITE]} (default)`}
          </option>
          {REWRITES.map((mode) => (
            <option key={mode} value={mode}>
              {REWRITE_WORDS[mode]}
            </option>
          ))}
        </Select>
      </Field>
      <Field
        label="Recipients an hour"
        name="hourly_limit"
        hint={isSite ? `Empty: ${server.toLowerCase()}.` : `Empty: ${DEFAULT_HOURLY_LIMIT} a site.`}
        error={refusals.hourly_limit}
      >
        <Input
          inputMode="numeric"
          value={draft.hourly_limit}
          onChange={({ target }) => change({ hourly_limit: target.value })}
        />
      </Field>
      <Field label="Sending" name="enabled">
        <Select
          value={draft.enabled ? 'on' : 'off'}
          onChange={({ target }) => change({ enabled: target.value === 'on' })}
        >
          <option value="on">On</option>
          <option value="off">Off: nothing is sent</option>
        </Select>
      </Field>
    </div>
  )
}
