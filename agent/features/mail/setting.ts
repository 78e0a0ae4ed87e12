import { z } from 'zod'
import { apexOf } from '#shared/kernel/names.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import {
  DEFAULT_HOURLY_LIMIT,
  DEFAULT_REWRITE,
  MailRules,
  RelayPassword,
  RelayPlace,
  RelayUser,
  type Rewrite,
} from '#shared/mail/mail.ts'

const Relay = RelayPlace.extend({ user: RelayUser, password: RelayPassword })
export type Relay = z.infer<typeof Relay>

/** The setting file of the server, which root writes for the queue. */
export const ServerSetting = MailRules.extend({ relay: Relay.nullable() })
export type ServerSetting = z.infer<typeof ServerSetting>

/** The setting of one site; null uses that of the server. */
export const SiteSetting = ServerSetting.extend({
  domain: z.string(),
  /** True for a staging site: its mail is kept and never sent. */
  caught: z.literal(true).optional(),
})
export type SiteSetting = z.infer<typeof SiteSetting>

const UNSET = { enabled: true, relay: null, from_address: null, rewrite_from: null }
export const NO_SERVER_SETTING: ServerSetting = { ...UNSET, hourly_limit: null }
export const newSiteSetting = (domain: string): SiteSetting => ({ ...NO_SERVER_SETTING, domain })

export interface AddressRules {
  domain: string
  /** The address that replaces others, also a missing one. */
  from_address: string
  rewrite_from: Rewrite
  hourly_limit: number
}

/** Returns the setting of a site, by whether it is a staging site. */
export const siteSettingFor = (
  { staging }: { staging?: unknown },
  setting: SiteSetting,
): SiteSetting => ({
  ...setting,
  ...(staging !== undefined && { caught: true }),
})

/** The effective setting of a site with a relay. */
export interface RelaySetting extends AddressRules {
  relay: Relay
}

/** The effective setting of a staging site, without a relay. */
export interface KeptMailSetting extends AddressRules {
  caught: true
}

export const CAUGHT_REASON = 'the mail of a staging site is kept, and not sent'

/** The reason why nothing is sent, as a message for the site. */
export interface UnsetMail {
  reason: string
}

export function effectiveSetting(
  server: ServerSetting,
  site: SiteSetting,
): RelaySetting | KeptMailSetting | UnsetMail {
  if (site.caught) return { ...addressRulesOf(server, site), caught: true }
  if (!server.enabled || !site.enabled) return { reason: 'mail is turned off for this site' }
  const relay = site.relay ?? server.relay
  if (!relay) return { reason: 'no relay is configured for this site: mail is not sent' }
  return { ...addressRulesOf(server, site), relay }
}

function addressRulesOf(server: ServerSetting, site: SiteSetting): AddressRules {
  return {
    domain: site.domain,
    from_address: site.from_address ?? server.from_address ?? `wordpress@${apexOf(site.domain)}`,
    rewrite_from: site.rewrite_from ?? server.rewrite_from ?? DEFAULT_REWRITE,
    hourly_limit: site.hourly_limit ?? server.hourly_limit ?? DEFAULT_HOURLY_LIMIT,
  }
}

/** Throws a readable Error without the text of the file, which may contain a password. */
export function parseSetting<T>(schema: z.ZodType<T>, text: string, path: string): T {
  const setting = parseJson(schema, text)
  if (setting === undefined)
    throw new Error(`${path} is not a mail setting: save the mail settings again`)
  return setting
}
