import { z } from 'zod'
import {
  Domain,
  Email,
  Hostname,
  oneOf,
  Port,
  TrueOrFalse,
  wholeNumber,
} from '#shared/kernel/fields.ts'
import { MAIL_TLS, REWRITES } from '#shared/kernel/values.ts'

/** The default hourly limit of a site: recipients, not messages. */
export const DEFAULT_HOURLY_LIMIT = 100
export const DEFAULT_REWRITE: Rewrite = 'foreign'
export type Rewrite = (typeof REWRITES)[number]

const LONG = 'Must have at most 255 characters'

/** Matches text without control characters, line separators and invisible ones such as U+FEFF. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$/u

/** A user or password, which go into the dialogue with the relay in base64 (RFC 4616). */
const Credential = z
  .string('Must be a string')
  .max(255, LONG)
  .refine((text) => PRINTABLE.test(text), 'Must be one line of printable characters')

export const RelayUser = Credential
export const RelayPassword = Credential

/** The address of a relay; `starttls` and `implicit` require its certificate. */
export const RelayPlace = z.object({ host: Hostname, port: Port, tls: oneOf(MAIL_TLS) })

/**
 * The mail settings beside the relay, for a server or for one site. Null is the value of the
 * server, and for a server: no relay, the address that the site uses, `foreign`, 100.
 */
export const MailRules = z.object({
  enabled: TrueOrFalse.describe('False: nothing is sent.'),
  from_address: Email.nullable(),
  rewrite_from: oneOf(REWRITES).nullable(),
  hourly_limit: wholeNumber(1, 100_000).nullable(),
})
export type MailRules = z.infer<typeof MailRules>

export const MailRelay = RelayPlace.extend({ user: RelayUser.default('') })

/** The settings of a call, for a server or for one site. */
export const MailChange = z.object({
  enabled: MailRules.shape.enabled.default(true),
  relay: MailRelay.extend({
    password: RelayPassword.optional().describe(
      'Omitted: the stored one is kept, if host, port, TLS and user are unchanged.',
    ),
  })
    .nullable()
    .default(null)
    .describe('Null: none; for a site, the relay of its server.'),
  from_address: MailRules.shape.from_address
    .default(null)
    .describe('Replaces addresses in From, which then become Reply-To.'),
  rewrite_from: MailRules.shape.rewrite_from
    .default(null)
    .describe('Null: the value of the server, else addresses outside the domain of the site.'),
  hourly_limit: MailRules.shape.hourly_limit
    .default(null)
    .describe('Recipients per hour for each site; null: the value of the server, else 100.'),
})
export type MailChange = z.output<typeof MailChange>

/** Returns whether a password would cross a network without encryption. */
export function isExposed({ host, tls }: z.infer<typeof RelayPlace>): boolean {
  return tls === 'none' && !/^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
}

const count = z.int().nonnegative().max(1e12)
const moment = z.iso.datetime().max(40)

const shape = (line: (most: number) => z.ZodType<string>) => ({
  queued: count.describe('Waiting messages.'),
  caught: count.describe('Messages of a staging site, which are kept and not sent.'),
  oldest_at: moment.nullable().describe('When the oldest of them was accepted.'),
  held: z.boolean().describe('Whether the site has reached its limit for this hour.'),
  sent_hour: count,
  sent_day: count,
  failed_day: count,
  refused_day: count.describe('Messages of the site that were refused.'),
  last_sent_at: moment.nullable(),
  problem: z
    .object({ at: moment, answer: line(500) })
    .nullable()
    .describe('The answer of a relay that accepts nothing now.'),
  failures: z
    .array(
      z.object({
        at: moment,
        recipient: line(254),
        answer: line(500),
        expired: z
          .boolean()
          .describe('Whether it was given up without a final answer of the relay.'),
      }),
    )
    .max(20)
    .describe('The last messages that were given up, newest first.'),
})

/** The statistics of the queue of a site: recipients in the last 24 hours, shortened texts. */
export const MailCounts = z.object(
  shape((most) => z.string().transform((text) => text.slice(0, most))),
)
export type MailCounts = z.infer<typeof MailCounts>

/** The statistics in answers of the dashboard. */
export const SHOWN_COUNTS = shape((most) => z.string().max(most))

export const NO_MAIL: MailCounts = {
  queued: 0,
  caught: 0,
  oldest_at: null,
  held: false,
  sent_hour: 0,
  sent_day: 0,
  failed_day: 0,
  refused_day: 0,
  last_sent_at: null,
  problem: null,
  failures: [],
}

export const SiteMail = MailCounts.extend({ domain: Domain })
export type SiteMail = z.infer<typeof SiteMail>

/** The mail queue of each site of an agent. */
export interface Mail {
  running: boolean
  sites: SiteMail[]
}
