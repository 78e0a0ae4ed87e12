import { useState } from 'react'
import { type MailTarget, setMail } from '#dashboard/web/api/mail.ts'
import { REWRITE_NAMES, TLS_NAMES } from '#dashboard/web/labels/mail.ts'
import { type DialogState, dialogOf } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { SelectField, TextField } from '#dashboard/web/ui/field.tsx'
import { optionsOf } from '#dashboard/web/ui/option.ts'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import type { MailSettingView } from '#shared/mail/api/mail.ts'
import { DEFAULT_HOURLY_LIMIT, DEFAULT_REWRITE } from '#shared/mail/mail.ts'

interface MailFormProps extends DialogState {
  target: MailTarget
  name: string
  setting: MailSettingView
}

/** The relay and the sending rules; the page of the operation shows the result. */
export const MailForm = dialogOf(Form, ({ name, target }) => ({
  title: `Mail settings of ${name}`,
  about:
    target.site_id === undefined
      ? 'For all sites of the server. A site can have settings of its own.'
      : 'Empty fields use the settings of the server.',
  wide: true,
}))

function Form({ target, setting, onClose }: MailFormProps) {
  const [draft, setDraft] = useState(() => draftOf(setting))
  const { form, refusals, reset } = useFormCall(() => setMail(target, inputOf(draft)), {
    fields: [...RELAY.map((name) => `relay.${name}`), ...RULES],
    onDone: useOpenOperation(),
    onClose,
  })
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const fields = { draft, change, refusals, isSite: target.site_id !== undefined }
  return (
    <DialogForm action="Save mail settings" {...form}>
      <RelayFields {...fields} hasPassword={setting.relay?.has_password ?? false} />
      <RuleFields {...fields} />
    </DialogForm>
  )
}

const RELAY = ['host', 'port', 'tls', 'user', 'password'] as const
const RULES = ['from_address', 'rewrite_from', 'hourly_limit'] as const

interface FieldsProps {
  draft: Draft
  change: (part: Partial<Draft>) => void
  refusals: Readonly<Record<string, string>>
  isSite: boolean
}

/** The name, the value, the change and the error of a field. */
const fieldOf =
  ({ draft, change, refusals }: FieldsProps) =>
  <N extends (typeof RELAY | typeof RULES)[number]>(name: N) => ({
    name,
    value: draft[name],
    onChange: (value: string) => change({ [name]: value }),
    error: refusals[name] ?? refusals[`relay.${name}`],
  })

/** The SMTP server that takes the mail. */
function RelayFields({ hasPassword, ...props }: FieldsProps & { hasPassword: boolean }) {
  const { draft, change, isSite } = props
  const field = fieldOf(props)
  return (
    <>
      <SelectField
        label="Relay"
        name="own_relay"
        value={draft.own_relay}
        options={[
          { value: false, name: isSite ? 'Same as the server' : 'None: mail is not sent' },
          { value: true, name: isSite ? 'Own SMTP server' : 'An SMTP server' },
        ]}
        onChange={(own_relay) => change({ own_relay })}
      />
      {draft.own_relay && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label="Host" {...field('host')} />
          <TextField label="Port" {...field('port')} inputMode="numeric" />
          <SelectField label="TLS" {...field('tls')} options={optionsOf<string>(TLS_NAMES)} />
          <TextField
            label="User"
            {...field('user')}
            hint="Leave empty if the relay needs no login."
          />
          <TextField
            label="Password"
            {...field('password')}
            hint={hasPassword ? 'Leave empty to keep the current password.' : undefined}
            type="password"
            autoComplete="new-password"
          />
        </div>
      )}
    </>
  )
}

/** Rules for every relay. */
function RuleFields(props: FieldsProps) {
  const { draft, change, isSite } = props
  const field = fieldOf(props)
  const limit = isSite ? 'same as the server' : `${DEFAULT_HOURLY_LIMIT} a site`
  const rewrite = isSite ? 'Same as the server' : `${REWRITE_NAMES[DEFAULT_REWRITE]} (default)`
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="From address"
        {...field('from_address')}
        hint="Used in From when an address is replaced. The original address moves to Reply-To."
        type="email"
      />
      <SelectField
        label="Replaced in From"
        {...field('rewrite_from')}
        options={[{ value: '', name: rewrite }, ...optionsOf<string>(REWRITE_NAMES)]}
      />
      <TextField
        label="Recipients an hour"
        {...field('hourly_limit')}
        hint={`Empty: ${limit}.`}
        inputMode="numeric"
      />
      <SelectField
        label="Sending"
        name="enabled"
        value={draft.enabled}
        options={[
          { value: true, name: 'On' },
          { value: false, name: 'Off: nothing is sent' },
        ]}
        onChange={(enabled) => change({ enabled })}
      />
    </div>
  )
}

/** The settings as texts of a form; an empty one is null. */
interface Draft {
  enabled: boolean
  own_relay: boolean
  host: string
  port: string
  tls: string
  user: string
  /** Empty: the current password stays. */
  password: string
  from_address: string
  rewrite_from: string
  hourly_limit: string
}

function draftOf(setting: MailSettingView): Draft {
  const { relay } = setting
  return {
    enabled: setting.enabled,
    own_relay: relay !== null,
    host: relay?.host ?? '',
    port: String(relay?.port ?? 587),
    tls: relay?.tls ?? 'starttls',
    user: relay?.user ?? '',
    password: '',
    from_address: setting.from_address ?? '',
    rewrite_from: setting.rewrite_from ?? '',
    hourly_limit: setting.hourly_limit === null ? '' : String(setting.hourly_limit),
  }
}

/** Text that is no number is sent unchanged, so that the API explains what is wrong. */
const numberOf = (text: string): unknown => (/^\d+$/.test(text) ? Number(text) : text)
const orNull = (text: string) => (text.trim() === '' ? null : text.trim())

/** The body that sets them. */
function inputOf(draft: Draft): object {
  const { host, port, tls, user, password } = draft
  const relay = {
    host,
    port: numberOf(port.trim()),
    tls,
    user: user.trim(),
    ...(password !== '' && { password }),
  }
  return {
    enabled: draft.enabled,
    relay: draft.own_relay ? relay : null,
    from_address: orNull(draft.from_address),
    rewrite_from: orNull(draft.rewrite_from),
    hourly_limit: draft.hourly_limit.trim() === '' ? null : numberOf(draft.hourly_limit.trim()),
  }
}
