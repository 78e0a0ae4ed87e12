import { object, z } from 'zod'
import { Domain, Moment } from '#shared/kernel/fields.ts'
import { FoundSite, ReasonCode, truncated, UnnamedSite } from '#shared/kernel/found-site.ts'
import { SecretText } from '#shared/kernel/secret.ts'
import {
  HEALTH_CHECKS,
  HEALTH_STATES,
  SERVICE_STATUSES,
  TIERS,
  TLS_MODES,
} from '#shared/kernel/values.ts'

/** Answers of the agent. Sizes are whole MB, `uptime` seconds, `cpu` percent. */
const text = (most = 255) => z.string().max(most)
/** A number below the maximum of any machine, small enough to be read from the records exactly. */
const amount = z.number().nonnegative().max(1e12)
const bytes = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER)
/** The maximum length of every list that a dashboard reads. */
export const MAX_SITES = 20_000

const Space = z.object({ used: amount, total: amount, unit: z.literal('MB') })

export const Metrics = object({
  cpu: amount.describe('Percent.'),
  ram: Space,
  disk: Space,
  load: z.tuple([amount, amount, amount]).describe('Over 1, 5 and 15 minutes.'),
  uptime: amount.describe('Seconds.'),
  os: text(),
  version: text().describe('Of the agent.'),
  protocol: z
    .int()
    .nonnegative()
    .optional()
    .describe('Of the agent. Absent: it has only the calls that every agent has.'),
}).meta({ id: 'Metrics', description: 'The last reading of a server.' })
export type Metrics = z.infer<typeof Metrics>

/** The program on a server; `machine` is the name of a build, such as `linux-arm64`. */
export const AgentBuild = z.object({
  version: text(),
  machine: text(64),
})
export type AgentBuild = z.infer<typeof AgentBuild>

export const Service = object({ name: text(64), status: z.enum(SERVICE_STATUSES) }).meta({
  id: 'Service',
  description: 'A program that a server runs.',
})
export type Service = z.infer<typeof Service>
export const Services = z.object({ services: z.array(Service).max(100) })

export const FoundSites = z.object({ sites: z.array(FoundSite).max(MAX_SITES) })

/** A program that visitors reach on port 80 or 443; `reason` is a code if not understood. */
export const WebProgram = z.object({
  program: truncated(64),
  ports: z.array(z.int().min(1).max(65535)).max(2),
  understood: z.boolean(),
  reason: ReasonCode.nullable(),
})
export type WebProgram = z.infer<typeof WebProgram>
export const Web = z.object({
  programs: z.array(WebProgram).max(20),
  unnamed: z.array(UnnamedSite).max(MAX_SITES),
})
export type Web = z.infer<typeof Web>

/** A site in the trash; `size` is in bytes, and a begun purge prevents a restore. */
export const TrashedSite = z.object({
  domain: Domain,
  user: truncated(64),
  size: bytes,
  deleted_at: Moment,
  restorable: z.boolean(),
  php: truncated(16),
  tier: z.enum(TIERS),
  tls: z.enum(TLS_MODES),
})
export type TrashedSite = z.infer<typeof TrashedSite>

/** The time when the certificate of a served site expires. */
export const SiteCertificate = z.object({ domain: Domain, expires_at: Moment })
export type SiteCertificate = z.infer<typeof SiteCertificate>
export const Certificates = z.object({ certificates: z.array(SiteCertificate).max(MAX_SITES) })

const verdict = {
  state: z.enum(HEALTH_STATES),
  code: ReasonCode,
  /** A sentence without its full stop; `""` if there is nothing to report. */
  reason: truncated(500),
}

/** The worst check of a site. Checks that do not apply to the site are omitted. */
export const SiteHealth = z.object({
  domain: Domain,
  ...verdict,
  checks: z.array(z.object({ check: z.enum(HEALTH_CHECKS), ...verdict })).max(HEALTH_CHECKS.length),
  /** A value that changes with the files, options or plugins; absent while nothing was read. */
  version: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
})
export type SiteHealth = z.infer<typeof SiteHealth>
export type SiteCheck = SiteHealth['checks'][number]

/** A part of a successful operation that was not done. */
export const Warning = z.object({ code: ReasonCode, message: truncated(1000) })
export type Warning = z.infer<typeof Warning>
/** The maximum number of warnings that are read. */
export const MAX_WARNINGS = 20

/** Configuration of a server that prevents new sites; the agent only reports it. */
export const Condition = object({
  code: ReasonCode,
  message: text(500),
}).meta({ id: 'Condition', description: 'An obstacle to new sites on a server.' })
export type Condition = z.infer<typeof Condition>
export const Conditions = z.object({ conditions: z.array(Condition).max(20) })

export const DatabasePassword = z.object({ password: SecretText })
/** A new password of the WordPress administrator, which is shown once and not stored. */
export const AdminPassword = z.object({ user: text(), password: SecretText })
