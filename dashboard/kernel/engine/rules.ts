import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { OperationRow, ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { Names } from '#dashboard/kernel/http/places.queries.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import type { InputOf, OPERATION_TYPES, OperationType, ReportOf } from '#shared/operation-types.ts'
import type { Warning } from '#shared/servers/agent.ts'

export type Params = Record<string, unknown>

/** The operation whose change of the records is stored. */
export type ChangeSubject = Pick<OperationRow, 'id' | 'server_id' | 'site_id'>

/** Makes the statements of a change of the records at the time `at`, for the batch of its cause. */
export type RecordChange = (queries: Queries, subject: ChangeSubject, at: string) => Statement[]
export const NO_CHANGE: RecordChange = () => []

/** Makes the statements for the batch that starts an operation, which may depend on its params. */
export type StartChange = (
  queries: Queries,
  operation: ChangeSubject & Pick<OperationRow, 'params'>,
  at: string,
) => Statement[]

/** The dependencies of the rules of a type; the engine passes them on. */
export interface RulesDeps extends Pick<CommonDeps, 'db' | 'clock' | 'contact_ms' | 'random'> {
  agents: Agents
  sealer: Sealer
  marks: Marks
  /** The rules for addresses of agents, which hold for other addresses, too. */
  rules: AddressRules
  /** The folder of the agent's builds; undefined: that of build-agent.ts. */
  builds_dir?: string | undefined
  /** How long a deleted site stays in the trash. */
  trash_ms: number
}

export interface OperationTarget {
  server: ServerRow
  site?: SiteRow
  /** The id of the user who starts the operation; null for the dashboard itself. */
  actor: number | null
  /** The address of this dashboard for servers, for a type that stores it. */
  origin?: string
}

/** The states of a site in which it can start, and whether discovered sites are allowed. */
export interface SiteRules {
  states: readonly SiteRow['status'][]
  found: boolean
}

/** The sites of a server that a bulk call selects; a site that is named by its id needs no such state. */
export interface BulkRules {
  /** The operation begins on the server of its item, and the site is on another one until then. */
  arrives?: boolean
  states: readonly SiteRow['status'][]
  managed_only: boolean
  /** The call that starts it, where the one for bulk operations must not. */
  started_by?: string
  /** Its recorded params include the origin of the call. */
  stores_origin: boolean
}

/** A type whose recorded params differ from those for the agent. */
interface StoredDifferently {
  'mail.apply': Omit<ParamsOf<'mail.apply'>, 'relay'> & {
    relay: object | null
    password_sealed: string
  }
  'backup.check': SealedTarget
  'backup.create': StoredBackupParams<'backup.create'> & { kit_id: number }
  'backup.prove': StoredBackupParams<'backup.prove'> & { backup_id: number }
  'backup.restore': StoredBackupParams<'backup.restore'>
  'site.create': ParamsOf<'site.create'> & WithRecords
  'site.domains': ParamsOf<'site.domains'> & WithRecords
  'site.rename': ParamsOf<'site.rename'> & WithRecords
  'site.configure': ParamsOf<'site.configure'> & { password_sealed?: string }
  'site.clone': StoredCopyParams
  'site.recover': StoredCopyParams & { copies?: object }
  'staging.password': ParamsOf<'staging.password'> & { password_sealed: string }
  'wp.login': ParamsOf<'wp.login'> & LoginPlace
  'site.move': { server_id: number; accept?: string[] }
  'site.move-back': { discard_changes: boolean }
  'site.move-confirm': Record<string, never>
  'site.refresh': Omit<ParamsOf<'site.refresh'>, 'from'> & { from: StoredSource }
}

/** The DNS records that the dashboard changes first (dns/stored-changes.ts). */
type WithRecords = { dns?: object[] }
/** The hosts that may take the token of a login; `encrypted` when over https only. */
type LoginPlace = { hosts: string[]; encrypted: boolean }
/** A target of backups; its secret and the password of a repository are sealed. */
type SealedTarget = {
  target_id: number
  place: BackupPlace
  secret_sealed: string
  password_sealed?: string
  password_id?: string
}
/** The source of a copy; `next_backup` is one that is not made yet, on another server. */
export type StoredSource =
  | { kind: 'site'; domain: string }
  | { kind: 'next_backup'; site_id: number }
  | ({ kind: 'backup'; repository: string; backup: string } & SealedTarget)
/** The params of a new site with the content of another one. */
type StoredCopyParams = Omit<ParamsOf<'site.clone'>, 'from'> & { from: StoredSource } & WithRecords
type StoredBackupParams<K extends CommandName> = Omit<ParamsOf<K>, 'target' | 'password'> &
  SealedTarget

type StoredOf<K extends OperationType> = K extends keyof StoredDifferently
  ? StoredDifferently[K]
  : ParamsFor<(typeof OPERATION_TYPES)[K]['command']>
/** The params of a command; a type without one stores none. */
type ParamsFor<C> = C extends { name: infer N extends CommandName }
  ? ParamsOf<N>
  : Record<string, never>

export type BackupFirst = OperationRow['backup_first']

/** The rules of one type: how it starts, and what its outcome changes in the records. */
export interface OperationRules<K extends OperationType> {
  /** Returns the stored params of a call and its retries. Throws refusals of the call. */
  params(
    deps: RulesDeps,
    target: OperationTarget,
    input: InputOf<K>,
  ): StoredOf<K> | Promise<StoredOf<K>>
  /**
   * Returns the params for the agent; `sealer` is undefined for a plan. The password of a
   * repository is one of them only `with_password`.
   */
  sent(params: Params, sealer?: Pick<Sealer, 'open'>, with_password?: boolean): Params
  /** Returns a step of the dashboard before those of the agent. */
  first_step?(params: Params): Plan['steps'][number] | undefined
  /** Returns a step of the dashboard after those of the agent. Never throws. */
  last_step?(
    deps: RulesDeps,
    site: { id: number; domain: string },
  ): Promise<Plan['steps'][number] | undefined>
  /** Does the work of that step before the end of a success is stored. Never throws. */
  afterwards?(deps: RulesDeps, operation: OperationRow): Promise<Warning[]>
  /**
   * Returns whether the site needs a backup first (null when not), and has one. Missing for a type
   * that changes nothing that a backup has.
   */
  backup_first?(deps: RulesDeps, target: OperationTarget, input: InputOf<K>): Promise<BackupFirst>
  /** Returns what else a retry needs the right on, beside the target of the operation. */
  retry_also?(deps: RulesDeps, first: OperationRow): Names | Promise<Names>
  /** Throws 409 for stored params that must not be sent again as they are. */
  refuse_retry?(deps: RulesDeps, first: OperationRow): Promise<void>
  /** The rules for the site of an operation; null for a type whose target is a server. */
  site: SiteRules | null
  joins: boolean
  /** Whether a first try and a retry wait for an offline agent; one of a bulk call never does. */
  waits: { first: boolean; retry: boolean }
  /** The age at which an operation that no agent has is not sent any more, if there is one. */
  expires_ms?: number
  during: StartChange
  /** The change after a success. Throws for a report that cannot be the one of this call. */
  succeeded(report: ReportOf<K>, context: SuccessContext): RecordChange
  /** The change after a failure; `reason` is one readable line. */
  failed(reason: string): RecordChange
  cancelled(reason: string): RecordChange
  /** The outcome when the agent does not know the site; null: failure. */
  absent:
    | ((
        deps: RulesDeps,
        server: ServerRow,
        operation: OperationRow,
        now: string,
      ) => Promise<AbsentResult<K>>)
    | null
  /** The rules for bulk operations; null for a type that has none. */
  bulk: BulkRules | null
}

interface SuccessContext {
  params: Params
  now: string
  trash_ms: number
}

/** The result if the goal is already reached, as an agent would report it. */
interface AbsentResult<K extends OperationType> {
  report: ReportOf<K>
  change: RecordChange
  warnings?: Warning[]
}

/** The rules of every type; leaving one out does not compile. */
export type RulesTable = { readonly [K in OperationType]: OperationRules<K> }

/** Returns the rules of a recorded operation, whose params and report were checked before. */
export function rulesOf(
  { types }: { types: RulesTable },
  type: OperationType,
): OperationRules<OperationType> {
  return types[type]
}
