import { z } from 'zod'
import { Domain } from './fields.ts'
import { Updates } from './inventory.ts'
import { DryRun } from './plan.ts'
import { SecretText } from './secret.ts'
import { FRAMEWORKS, SERVICE_STATUSES, TIERS, TLS_MODES } from './values.ts'

/** Bodies of the agent's calls (decisions.md, Agent). Sizes are whole MB, `uptime` seconds, `cpu` percent. */
const text = (most = 255) => z.string().max(most)
const amount = z.number().nonnegative()

const Space = z.object({ used: amount, total: amount, unit: z.literal('MB') })

export const Metrics = z
  .object({
    cpu: amount.describe('Percent.'),
    ram: Space,
    disk: Space,
    load: z.tuple([amount, amount, amount]).describe('Over 1, 5 and 15 minutes.'),
    uptime: amount.describe('Seconds.'),
    os: text(),
    version: text().describe('Of the agent.'),
  })
  .meta({ id: 'Metrics', description: 'The last reading of a server.' })
export type Metrics = z.infer<typeof Metrics>

/** What runs on a server: `machine` as the dashboard names its builds, such as `linux-arm64`. */
export const AgentBuild = z.object({ version: text(), machine: text(64) })
export type AgentBuild = z.infer<typeof AgentBuild>

export const Service = z
  .object({ name: text(), status: z.enum(SERVICE_STATUSES) })
  .meta({ id: 'Service', description: 'A program that a server runs.' })
export type Service = z.infer<typeof Service>
export const Services = z.object({ services: z.array(Service).max(10_000) })

/** A site found on the machine, made by this agent or not. `php` is `""` for a site without PHP. */
export const FoundSite = z.object({
  domain: Domain,
  user: text(),
  docroot: text(4096),
  php: text(),
  tier: z.enum(TIERS),
  tls: z.enum(TLS_MODES),
  framework: z.enum(FRAMEWORKS),
  wp_version: text(),
  db_name: text(),
  updates: Updates,
})
export type FoundSite = z.infer<typeof FoundSite>
export const FoundSites = z.object({ sites: z.array(FoundSite).max(100_000) })

/** A site in the trash of a server: `size` is in bytes; one that a purge has begun on cannot be restored. */
export const TrashedSite = z.object({
  domain: Domain,
  user: text(),
  size: amount,
  deleted_at: z.iso.datetime(),
  restorable: z.boolean(),
  php: text().default(''),
  tier: z.enum(TIERS).default('small'),
  tls: z.enum(TLS_MODES).default('none'),
})
export type TrashedSite = z.infer<typeof TrashedSite>
export const Trash = z.object({ trash: z.array(TrashedSite).max(100_000) })

/** Of the sites that are served with a certificate: when it ends. */
export const SiteCertificate = z.object({ domain: Domain, expires_at: z.iso.datetime() })
export type SiteCertificate = z.infer<typeof SiteCertificate>
export const Certificates = z.object({ certificates: z.array(SiteCertificate).max(100_000) })

export const ExecRequest = z.object({
  command: z.string({
    error: ({ input }) => (input === undefined ? 'Command is required' : 'Must be a string'),
  }),
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
/** A freshly set password of the WordPress administrator: shown once, stored nowhere. */
export const AdminPassword = z.object({ user: text(), password: SecretText })

/** Names a request, on its answer and from the dashboard to the agent, so that both logs can be joined. */
export const REQUEST_HEADER = 'x-request-id'
export const RequestId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

/** Names the operation that a request starts or, when the agent knows it, attaches to. */
export const OPERATION_HEADER = 'operation-id'
export const OperationId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)
/**
 * In the header of a request for a plan. It is no OperationId: an agent of before there were plans
 * refuses it, where without it that agent would carry the command out.
 */
export const NO_OPERATION = 'dry run'
