import { REWRITE_NAMES, TLS_NAMES } from '#dashboard/web/labels/mail.ts'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { DEFAULT_HOURLY_LIMIT, DEFAULT_REWRITE } from '#shared/mail/mail.ts'
import type { Draft } from './draft.ts'

interface FieldsProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  refusals: Readonly<Record<string, string>>
  isSite: boolean
}

type TextName = Exclude<keyof Draft, 'enabled' | 'own_relay'>

/** The value of a control and its change. */
const controlOf =
  ({ draft, change }: FieldsProps) =>
  (name: TextName) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  })

const Options = ({ names }: { names: Record<string, string> }) =>
  Object.entries(names).map(([value, name]) => (
    <option key={value} value={value}>
      {name}
    </option>
  ))

/** The SMTP server that takes the mail. */
export function RelayFields({ hasPassword, ...props }: FieldsProps & { hasPassword: boolean }) {
  const { draft, change, refusals, isSite } = props
  const control = controlOf(props)
  return (
    <>
      <Field label="Relay" name="own_relay">
        <Select
          value={draft.own_relay ? 'own' : 'none'}
          onChange={({ target }) => change({ own_relay: target.value === 'own' })}
        >
          <option value="none">{isSite ? 'Same as the server' : 'None: mail is not sent'}</option>
          <option value="own">{isSite ? 'Own SMTP server' : 'An SMTP server'}</option>
        </Select>
      </Field>
      {draft.own_relay && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Host" name="host" error={refusals['relay.host']}>
            <Input {...control('host')} />
          </Field>
          <Field label="Port" name="port" error={refusals['relay.port']}>
            <Input {...control('port')} inputMode="numeric" />
          </Field>
          <Field label="TLS" name="tls" error={refusals['relay.tls']}>
            <Select {...control('tls')}>
              <Options names={TLS_NAMES} />
            </Select>
          </Field>
          <Field
            label="User"
            name="user"
            hint="Leave empty if the relay needs no login."
            error={refusals['relay.user']}
          >
            <Input {...control('user')} />
          </Field>
          <Field
            label="Password"
            name="password"
            error={refusals['relay.password']}
            {...(hasPassword && { hint: 'Leave empty to keep the current password.' })}
          >
            <Input {...control('password')} type="password" autoComplete="new-password" />
          </Field>
        </div>
      )}
    </>
  )
}

/** Rules for every relay. */
export function RuleFields(props: FieldsProps) {
  const { draft, change, refusals, isSite } = props
  const control = controlOf(props)
  const limit = isSite ? 'same as the server' : `${DEFAULT_HOURLY_LIMIT} a site`
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="From address"
        name="from_address"
        hint="Used in From when an address is replaced. The original address moves to Reply-To."
        error={refusals.from_address}
      >
        <Input {...control('from_address')} type="email" />
      </Field>
      <Field label="Replaced in From" name="rewrite_from" error={refusals.rewrite_from}>
        <Select {...control('rewrite_from')}>
          <option value="">
            {isSite ? 'Same as the server' : `${REWRITE_NAMES[DEFAULT_REWRITE]} (default)`}
          </option>
          <Options names={REWRITE_NAMES} />
        </Select>
      </Field>
      <Field
        label="Recipients an hour"
        name="hourly_limit"
        hint={`Empty: ${limit}.`}
        error={refusals.hourly_limit}
      >
        <Input {...control('hourly_limit')} inputMode="numeric" />
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
