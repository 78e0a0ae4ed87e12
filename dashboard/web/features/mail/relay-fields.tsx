import { TLS_WORDS } from '#dashboard/web/labels/mail.ts'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { MAIL_TLS } from '#shared/values.ts'
import type { Draft } from './draft.ts'

export interface FieldsProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  refusals: Readonly<Record<string, string>>
  isSite: boolean
}

/** The SMTP server that takes the mail. */
export function RelayFields({
  draft,
  change,
  refusals,
  isSite,
  hasPassword,
}: FieldsProps & { hasPassword: boolean }) {
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
            <Input value={draft.host} onChange={({ target }) => change({ host: target.value })} />
          </Field>
          <Field label="Port" name="port" error={refusals['relay.port']}>
            <Input
              inputMode="numeric"
              value={draft.port}
              onChange={({ target }) => change({ port: target.value })}
            />
          </Field>
          <Field label="TLS" name="tls" error={refusals['relay.tls']}>
            <Select value={draft.tls} onChange={({ target }) => change({ tls: target.value })}>
              {MAIL_TLS.map((mode) => (
                <option key={mode} value={mode}>
                  {TLS_WORDS[mode]}
                </option>
              ))}
            </Select>
          </Field>
          <Field
            label="User"
            name="user"
            hint="Leave empty if the relay needs no login."
            error={refusals['relay.user']}
          >
            <Input value={draft.user} onChange={({ target }) => change({ user: target.value })} />
          </Field>
          <Field
            label="Password"
            name="password"
            error={refusals['relay.password']}
            {...(hasPassword && { hint: 'Leave empty to keep the current password.' })}
          >
            <Input
              type="password"
              autoComplete="new-password"
              value={draft.password}
              onChange={({ target }) => change({ password: target.value })}
            />
          </Field>
        </div>
      )}
    </>
  )
}
