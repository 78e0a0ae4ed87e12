import { z } from 'zod'
import type { Contract } from './command.ts'
import type { Right } from './rights.ts'
import type { Exclusion, SITE_STATUSES } from './values.ts'

type SiteStatus = (typeof SITE_STATUSES)[number]

/** The path of the param that a field of a result repeats, by the path of the field. */
type Confirms = Readonly<Record<string, string>>

export const SAME_DOMAIN = { domain: 'domain' } as const

/** One type of operation in UI and API. For its effects see dashboard/operation-types/. */
export interface OperationSpec<
  T extends TargetKind = TargetKind,
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  B extends Bulk<z.ZodType> | null = Bulk<z.ZodType> | null,
  C extends AnyContract | null = AnyContract | null,
  A extends SiteAction | null = SiteAction | null,
> {
  name: string
  /** The text before the name of its target, such as `Change the tier of`. */
  title: string
  target: T
  /** The command of the agent; null when the dashboard executes it. */
  command: C
  /** The right that a caller needs to start it. */
  right: Right
  /** The right with which also a client of the agency can start it, if there is one. */
  client_right?: Right
  /** The right to retry it, if that may do more than a call with `right`. */
  retry_right?: Right
  /** `same_site` by default; for a server `nothing`. */
  excludes?: Exclusion
  /** The fields of a call beside its target and `dry_run`. */
  params: P
  /**
   * The fields of the result that name what was requested. An agent can only confirm them: a result
   * that contradicts its params is refused, and nothing of it is recorded. A param that is left out,
   * or null for a default, decides nothing.
   */
  confirms: Confirms
  outcome: SpecOutcome<R>
  /** The bulk operation for many targets; null when it cannot be started that way. */
  bulk: B
  /** The call that takes nothing beside the site, from which route, button and bulk action come. */
  action?: A
  unrecorded?: Unrecorded | undefined
}

/**
 * A type that changes no record: its command takes the params of the call, and the domain of a site
 * that is in one of these states. All others have rules in the dashboard.
 */
export type Unrecorded = { states: readonly SiteStatus[] } | 'of a server'

/** A call that waits for the outcome: `POST /api/servers/:server_id/sites/:site_id/<path>`. */
export interface SiteAction {
  path: string
  /** The operation id in the OpenAPI document. */
  call: string
  summary: string
  /** The text before the domain in the answer, such as `Emptied the page cache of`. */
  done: string
  /** The effect on each of many sites. */
  about: string
  icon: 'flash' | 'pause' | 'play' | 'refresh'
  /** The state of a site that shows the action; every state of a site in use by default. */
  state?: 'active' | 'suspended'
  /** True when it is in a menu for many sites. */
  isRare?: true
}

type AnyContract = Contract<string, z.ZodType, z.ZodType>
type TargetKind = 'server' | 'site' | 'any'

interface SpecOutcome<R extends z.ZodType> {
  /** The result of the agent. */
  result: R
  /** The data of the `complete` event, which the dashboard derives from it. */
  complete: z.ZodObject
  data(result: z.output<R>): Record<string, unknown>
}

export interface Bulk<B extends z.ZodType> {
  /** The text before a number of targets, such as `Change tier of`. */
  title: string
  /** The fields of the call beside its targets: an unknown field is refused. */
  params: B
  /** The label of each param; null when the param is not shown. */
  words: { readonly [N in keyof z.output<B>]-?: string | null }
}

export function operationType<
  const T extends TargetKind,
  P extends z.ZodType,
  R extends z.ZodType,
  B extends z.ZodType<Partial<z.output<P>>>,
  C extends AnyContract | null,
  const A extends SiteAction | null = null,
  const U extends Unrecorded | undefined = undefined,
>(
  spec: OperationSpec<T, P, R, Bulk<B>, C, A> & { unrecorded?: U },
): OperationSpec<T, P, R, Bulk<B>, C, A> & { unrecorded?: U }
export function operationType<
  const T extends TargetKind,
  P extends z.ZodType,
  R extends z.ZodType,
  C extends AnyContract | null,
  const U extends Unrecorded | undefined = undefined,
>(
  spec: OperationSpec<T, P, R, null, C, null> & { unrecorded?: U },
): OperationSpec<T, P, R, null, C, null> & { unrecorded?: U }
export function operationType(spec: OperationSpec): OperationSpec {
  return spec
}

/** Returns an outcome that completes with `status: ok` and the result of the agent. */
export function completesWith<S extends z.ZodRawShape>(
  result: z.ZodObject<S>,
): SpecOutcome<z.ZodObject<S>> {
  const complete = z.strictObject({ status: z.literal('ok'), ...result.shape })
  return { result, complete, data: (reported) => ({ status: 'ok', ...reported }) }
}

/** Returns the params of a bulk call: an unknown field is refused, never dropped. */
export const bulkParams = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Must not have ${issue.keys.join(', ')}`
        : 'Must be a JSON object',
  })

/** The params of a type without any. */
export const noParams: z.ZodType<object> = z.object({})
