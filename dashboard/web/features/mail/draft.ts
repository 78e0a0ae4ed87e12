import type { MailSettingView } from '#shared/mail/api/mail.ts'

/** The settings as texts of a form; an empty one is null. */
export interface Draft {
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

export function draftOf(setting: MailSettingView): Draft {
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
export function inputOf(draft: Draft): object {
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
