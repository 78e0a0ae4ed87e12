import type { MailState } from '#dashboard/web/api/mail.ts'
import type { MAIL_TLS, REWRITES } from '#shared/kernel/values.ts'
import type { MailSettingView } from '#shared/mail/api/mail.ts'

export const TLS_NAMES: Record<(typeof MAIL_TLS)[number], string> = {
  starttls: 'STARTTLS (usually port 587)',
  implicit: 'TLS from the start (usually port 465)',
  none: 'None (no password, or on this server itself)',
}

export const REWRITE_NAMES: Record<(typeof REWRITES)[number], string> = {
  never: 'None',
  foreign: 'Addresses of other domains',
  always: 'All addresses',
}

export const relayName = ({ relay }: MailSettingView): string | undefined =>
  relay ? `${relay.host}, port ${relay.port}` : undefined

/** Why nothing is sent; undefined where it is. */
export function reasonNotSent({ sends, setting, server }: MailState): string | undefined {
  if (sends) return undefined
  if (!setting.enabled || server?.enabled === false) return 'Mail is turned off: it is not sent'
  return 'No relay configured: mail is not sent'
}
