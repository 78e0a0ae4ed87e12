import type { MailSetting, MailState } from '#dashboard/web/api/mail.ts'

type Tls = NonNullable<MailSetting['relay']>['tls']

export const TLS_WORDS: Record<Tls, string> = {
  starttls: 'STARTTLS (usually port 587)',
  implicit: 'TLS from the start (usually port 465)',
  none: 'None (no password, or on this server itself)',
}

export const REWRITE_WORDS: Record<NonNullable<MailSetting['rewrite_from']>, string> = {
  foreign: 'Addresses of other domains',
  always: 'All addresses',
  never: 'None',
}

export const relayWords = ({ relay }: MailSetting): string | undefined =>
  relay ? `${relay.host}, port ${relay.port}` : undefined

/** Why nothing is sent; undefined where it is. */
export function silence({ sends, setting, server }: MailState): string | undefined {
  if (sends) return undefined
  if (!setting.enabled || server?.enabled === false) return 'Mail is turned off: it is not sent'
  return 'No relay configured: mail is not sent'
}
