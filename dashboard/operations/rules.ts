import type { Agents } from '#dashboard/agents/agents.ts'
import type { Database, Queries, Statement } from '#dashboard/db/client.ts'
import type { OperationRow, ServerRow, SiteRow } from '#dashboard/db/rows.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import type { Warning } from '#shared/agent.ts'
import type { ParamsOf } from '#shared/commands.ts'
import type { InputOf, OperationType, ReportOf } from '#shared/operation-types/index.ts'

export type Params = Record<string, unknown>

/** What the statements of a change are about. */
export type Subject = Pick<OperationRow, 'id' | 'server_id' | 'site_id'>

/** The statements that go into one batch with what they follow from, at the time `at`. */
export type Change = (queries: Queries, subject: Subject, at: string) => Statement[]
export const NO_CHANGE: Change = () => []

/** What the rules of a type may use; the engine hands it on. */
export interface RulesDeps {
  db: Database
  agents: Agents
  sealer: Sealer
  contact_ms: number
  /** Where the builds of the agent are; undefined: where build-agent.ts leaves them. */
  builds_dir?: string | undefined
  /** How long a deleted site stays in the trash. */
  trash_ms: number
}

export interface Target {
  server: ServerRow
  site?: SiteRow
  /** Null: the dashboard itself. */
  actor: number | null
  /** Where servers reach this dashboard, for a type that stores it. */
  origin?: string
}

/** In which states a site can be started on, and whether also one that was only found. */
export interface SiteRules {
  states: readonly SiteRow['status'][]
  found: boolean
}

/** Which sites of a server a bulk call is for; a site that is named by its id needs no such state. */
export interface BulkRules {
  states: readonly SiteRow['status'][]
  managed_only: boolean
  /** Its params on record have the origin of the call beside what the call gives. */
  stores_origin: boolean
}

/** A type whose params on record are not those that the agent gets. */
interface StoredDifferently {
  'mail.apply': Omit<ParamsOf<'mail.apply'>, 'relay'> & {
    relay: object | null
    password_sealed: string
  }
}

type StoredOf<K extends OperationType> = K extends keyof StoredDifferently
  ? StoredDifferently[K]
  : K extends 'server.sync'
    ? Record<string, never>
    : ParamsOf<CommandOf<K>>
type CommandOf<K extends OperationType> = K extends 'site.scan'
  ? 'wp.scan'
  : Exclude<K, 'server.sync' | 'site.scan'>

/** What one type of operation means for the records. */
export interface OperationRules<K extends OperationType> {
  /** What is stored for a call, and repeated by a retry. Throws what refuses the call. */
  params(deps: RulesDeps, target: Target, input: InputOf<K>): StoredOf<K> | Promise<StoredOf<K>>
  /** Params on record as the agent gets them; `sealer` is undefined for a plan. */
  sent(params: Params, sealer?: Pick<Sealer, 'open'>): Params
  /** Null: it is for servers. */
  site: SiteRules | null
  /** What cannot run beside it: another one of its site, one of its type on the server, or any. */
  excludes: 'same_site' | 'same_type' | 'all_of_server' | 'nothing'
  /** A call joins the one that is running. */
  joins: boolean
  /** Whether it waits for an agent that is offline; one of a bulk call never does. */
  waits: { first: boolean; retry: boolean }
  /** What changes when it is started. */
  during: Change
  succeeded(report: ReportOf<K>, context: Succeeded): Change
  /** `reason` is one readable line. */
  failed(reason: string): Change
  cancelled(reason: string): Change
  /** What it means when the agent does not know the site; null: that it failed. */
  absent:
    | ((
        deps: RulesDeps,
        server: ServerRow,
        operation: OperationRow,
        now: string,
      ) => Promise<Absent<K>>)
    | null
  /** Null: it cannot be started on many targets at once. */
  bulk: BulkRules | null
}

interface Succeeded {
  params: Params
  now: string
  trash_ms: number
}

/** What was asked for is so already: what an agent would have reported. */
interface Absent<K extends OperationType> {
  report: ReportOf<K>
  change: Change
  warnings?: Warning[]
}

/** The rules of every type; leaving one out does not compile. */
export type RulesTable = { readonly [K in OperationType]: OperationRules<K> }

/** The rules of an operation on record, whose params and report were checked before. */
export function rulesOf(
  { types }: { types: RulesTable },
  type: OperationType,
): OperationRules<OperationType> {
  return types[type]
}
