import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { type MailTarget, setMail } from '#dashboard/web/api/mail.ts'
import { REWRITE_NAMES, TLS_NAMES } from '#dashboard/web/labels/mail.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input, Select } from '#dashboard/web/ui/field.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import type { MailSettingView } from '#shared/mail/api/mail.ts'
import { DEFAULT_HOURLY_LIMIT, DEFAULT_REWRITE } from '#shared/mail/mail.ts'

interface MailFormProps extends DialogState {
  target: MailTarget
  name: string
  setting: MailSettingView
}

/** The relay and the sending rules; the page of the operation shows the result. */
export function MailForm({ name, ...props }: MailFormProps) {
  const { open, onClose, target } = props
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Mail settings of ${name}`}
      about={
        target.site_id === undefined
          ? 'For all sites of the server. A site can have settings of its own.'
          : 'Empty fields use the settings of the server.'
      }
      wide
    >
      {open && <Form {...props} />}
    </Dialog>
  )
}

function Form({ target, setting, onClose }: Omit<MailFormProps, 'name'>) {
  const [draft, setDraft] = useState(() => draftOf(setting))
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => setMail(target, inputOf(draft)),
    onSuccess: useOpenOperation(),
  })
  const refusals = refusalsIn(error)
  const change = (part: Partial<Draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const fields = { draft, change, refusals, isSite: target.site_id !== undefined }
  return (
    <DialogForm
      action="Save mail settings"
      onSubmit={mutate}
      onCancel={onClose}
      isBusy={isPending}
      error={Object.keys(refusals).length === 0 ? error : null}
    >
      <RelayFields {...fields} hasPassword={setting.relay?.has_password ?? false} />
      <RuleFields {...fields} />
    </DialogForm>
  )
}

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
function RelayFields({ hasPassword, ...props }: FieldsProps & { hasPassword: boolean }) {
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
function RuleFields(props: FieldsProps) {
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
    ...{ host, port: numberOf(port.trim()), tls, user: user.trim() },
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
