import { object, z } from 'zod'
import { Domain, Moment, required } from './fields.ts'
import { Updates } from './inventory.ts'
import { MailCounts } from './mail.ts'
import { DryRun } from './plan.ts'
import { SecretText } from './secret.ts'
import {
  FOUND_TLS_MODES,
  FRAMEWORKS,
  HEALTH_CHECKS,
  HEALTH_STATES,
  SERVICE_STATUSES,
  TIERS,
  TLS_MODES,
} from './values.ts'

/** Bodies of the agent's calls. Sizes are whole MB, `uptime` seconds, `cpu` percent. */
const text = (most = 255) => z.string().max(most)
/** Larger than any machine, and small enough to be read from the records as exact numbers. */
const amount = z.number().nonnegative().max(1e12)
const bytes = z.number().nonnegative().max(Number.MAX_SAFE_INTEGER)
/**
 * Cut instead of refused: a site chooses some of these texts, and must not make the report of its
 * server unreadable.
 */
const cut = (most: number) => z.string().transform((value) => value.slice(0, most))
/** The maximum length of every list that a dashboard reads. */
export const MOST_SITES = 20_000

const Space = z.object({ used: amount, total: amount, unit: z.literal('MB') })

export const Metrics = object({
  cpu: amount.describe('Percent.'),
  ram: Space,
  disk: Space,
  load: z.tuple([amount, amount, amount]).describe('Over 1, 5 and 15 minutes.'),
  uptime: amount.describe('Seconds.'),
  os: text(),
  version: text().describe('Of the agent.'),
}).meta({ id: 'Metrics', description: 'The last reading of a server.' })
export type Metrics = z.infer<typeof Metrics>

/**
 * The metrics, and the version of everything else that a sync reads: equal versions mean equal answers.
 * Null: read all of it.
 */
export const State = z.object({ metrics: Metrics, version: text(64).nullable() })
export type State = z.infer<typeof State>

/** The program on a server: `machine` is the name of a build, such as `linux-arm64`. */
export const AgentBuild = z.object({
  version: text(),
  machine: text(64),
  /** Whether its `agent.upgrade` supports signatures; others must not receive any. */
  signed_builds: z.boolean().default(false),
})
export type AgentBuild = z.infer<typeof AgentBuild>

export const Service = object({ name: text(64), status: z.enum(SERVICE_STATUSES) }).meta({
  id: 'Service',
  description: 'A program that a server runs.',
})
export type Service = z.infer<typeof Service>
export const Services = z.object({ services: z.array(Service).max(100) })

/** Why a value of a discovered site is unknown: a code such as `no_pool`, never a sentence. */
const ReasonCode = z.string().regex(/^[a-z][a-z_]{0,39}$/)

/**
 * A site on the machine, created by this agent or not. `php` is `""` for a site without PHP.
 * Unknown values are empty (`tls`: none), and `unknown` has the reason by the name of the field.
 */
export const FoundSite = z.object({
  domain: Domain,
  names: z.array(cut(255)).max(1000).optional().describe('All its names, as configured.'),
  closed: z.boolean().optional().describe('Its web server refuses every visitor.'),
  suspended: z.literal(true).optional(),
  unknown: z.record(z.string().max(40), ReasonCode).optional(),
  user: cut(64),
  docroot: cut(1024),
  php: cut(16),
  tier: z.enum(TIERS),
  tls: z.enum(FOUND_TLS_MODES),
  framework: z.enum(FRAMEWORKS),
  wp_version: cut(64),
  db_name: cut(64),
  updates: Updates,
})
export type FoundSite = z.infer<typeof FoundSite>
export const FoundSites = z.object({ sites: z.array(FoundSite).max(MOST_SITES) })

/** A site without a domain: it answers to a wildcard, an expression, an address, or any name. */
export const UnnamedSite = FoundSite.omit({ domain: true })
export type UnnamedSite = z.infer<typeof UnnamedSite>

/**
 * A program that visitors reach on port 80 or 443. `understood`: its sites are in `GET /sites`;
 * otherwise `reason` has a code.
 */
export const WebProgram = z.object({
  program: cut(64),
  ports: z.array(z.int().min(1).max(65535)).max(2),
  understood: z.boolean(),
  reason: ReasonCode.nullable(),
})
export type WebProgram = z.infer<typeof WebProgram>
export const Web = z.object({
  programs: z.array(WebProgram).max(20),
  unnamed: z.array(UnnamedSite).max(MOST_SITES),
})
export type Web = z.infer<typeof Web>

/** A site in the trash of a server: `size` is in bytes; a started purge prevents its restore. */
export const TrashedSite = z.object({
  domain: Domain,
  user: cut(64),
  size: bytes,
  deleted_at: Moment,
  restorable: z.boolean(),
  php: cut(16).default(''),
  tier: z.enum(TIERS).default('small'),
  tls: z.enum(TLS_MODES).default('none'),
})
export type TrashedSite = z.infer<typeof TrashedSite>

/** When the certificates of the served sites expire. */
export const SiteCertificate = z.object({ domain: Domain, expires_at: Moment })
export type SiteCertificate = z.infer<typeof SiteCertificate>
export const Certificates = z.object({ certificates: z.array(SiteCertificate).max(MOST_SITES) })

export const SiteMail = MailCounts.extend({ domain: Domain })
export type SiteMail = z.infer<typeof SiteMail>

/** The mail queue of each site of this agent. */
export const Mail = z.object({ running: z.boolean(), sites: z.array(SiteMail).max(MOST_SITES) })
export type Mail = z.infer<typeof Mail>

const verdict = {
  state: z.enum(HEALTH_STATES),
  code: ReasonCode,
  /** One sentence without its full stop; `""` if there is nothing to report. */
  reason: cut(500),
}

/** The worst check of a site. Checks that do not apply to the site are omitted. */
export const SiteHealth = z.object({
  domain: Domain,
  ...verdict,
  checks: z.array(z.object({ check: z.enum(HEALTH_CHECKS), ...verdict })).max(HEALTH_CHECKS.length),
})
export type SiteHealth = z.infer<typeof SiteHealth>
export type SiteCheck = SiteHealth['checks'][number]

/** A part of a successful operation that was not done. */
export const Warning = z.object({ code: ReasonCode, message: cut(1000) })
export type Warning = z.infer<typeof Warning>
/** No more are read. */
export const MOST_WARNINGS = 20

/** Configuration of a server that prevents new sites; the agent only reports it. */
export const Condition = object({
  code: ReasonCode,
  message: text(500),
}).meta({ id: 'Condition', description: 'An obstacle to new sites on a server.' })
export type Condition = z.infer<typeof Condition>
export const Conditions = z.object({ conditions: z.array(Condition).max(20) })

export const ExecRequest = z.object({
  command: z.string(required('Command')),
  params: z.unknown().optional(),
  dry_run: DryRun,
})

/** Graceful ends programs by SIGTERM, and 10 seconds later by SIGKILL; `force` by SIGKILL at once. */
export const CancelRequest = z.object({ force: z.boolean().default(false) })
/** `ended`: the operation has its terminal event; otherwise that follows in its stream. */
export const CancelAnswer = z.object({ ended: z.boolean() })
export type CancelAnswer = z.infer<typeof CancelAnswer>

export const SiteRequest = z.object({ domain: Domain })
export const DatabasePassword = z.object({ password: SecretText })
/** A new password of the WordPress administrator: shown once, not stored. */
export const AdminPassword = z.object({ user: text(), password: SecretText })

/** The id of a request, on its answer and in calls of agents, so that both logs can be joined. */
export const REQUEST_HEADER = 'x-request-id'
export const RequestId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/** The id of the operation that a request starts or, if the agent knows the id, attaches to. */
export const OPERATION_HEADER = 'operation-id'
export const OperationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
/**
 * The header value of a request for a plan. It is not an OperationId: an agent without plans
 * refuses it instead of running the command.
 */
export const NO_OPERATION = 'dry run'
