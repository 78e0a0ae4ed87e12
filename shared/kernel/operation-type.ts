import { z } from 'zod'
import type { Contract } from './command.ts'
import type { Exclusion, TokenScope } from './values.ts'

/**
 * One type of operation as UI and API know it. Its effects on the records are in
 * dashboard/operation-types/.
 */
export interface OperationSpec<
  T extends Target = Target,
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  B extends Bulk<z.ZodType> | null = Bulk<z.ZodType> | null,
  C extends AnyContract | null = AnyContract | null,
  A extends SiteAction | null = SiteAction | null,
> {
  name: string
  /** Precedes the name of its target, such as `Change the tier of`. */
  title: string
  target: T
  /** The command of the agent; null: the dashboard executes it. */
  command: C
  /** The right that a token needs to start it. */
  right: TokenScope
  /** The right to retry it, where that may do more than a call with `right`. */
  retry_right?: TokenScope
  /** Default: `same_site`; for a server `nothing`. */
  excludes?: Exclusion
  /** The fields of a call beside its target and `dry_run`. */
  params: P
  outcome: SpecOutcome<R>
  /**
   * The form of the operation for many targets at once; null when it cannot be started that way.
   */
  bulk: B
  /** Where its call takes nothing beside the site: route, button and bulk action follow from it. */
  action?: A
}

/** A call that waits for the outcome: `POST /api/servers/:server_id/sites/:site_id/<path>`. */
export interface SiteAction {
  path: string
  /** The operation id in the OpenAPI document. */
  call: string
  summary: string
  /** Stands before the domain in the answer, such as `Emptied the page cache of`. */
  done: string
  /** What it does to each of many sites. */
  about: string
  icon: 'flash' | 'pause' | 'play' | 'refresh'
  /** The state of a site that shows the action; default: every state of a site in use. */
  state?: 'active' | 'suspended'
  /** For many sites, it is in a menu. */
  isRare?: true
}

type AnyContract = Contract<string, z.ZodType, z.ZodType>
type Target = 'server' | 'site' | 'any'

interface SpecOutcome<R extends z.ZodType> {
  /** The result of the agent. */
  result: R
  /** The data of the `complete` event, which the dashboard derives from it. */
  complete: z.ZodObject
  data(result: z.output<R>): Record<string, unknown>
}

export interface Bulk<B extends z.ZodType> {
  /** Precedes a number of targets, such as `Change tier of`. */
  title: string
  /** The fields of the call beside its targets: an unknown field is refused. */
  params: B
  /** The label of each param; null: the param is not shown. */
  words: { readonly [N in keyof z.output<B>]-?: string | null }
}

export function operationType<
  const T extends Target,
  P extends z.ZodType,
  R extends z.ZodType,
  B extends z.ZodType<Partial<z.output<P>>>,
  C extends AnyContract | null,
  const A extends SiteAction | null = null,
>(spec: OperationSpec<T, P, R, Bulk<B>, C, A>): OperationSpec<T, P, R, Bulk<B>, C, A>
export function operationType<
  const T extends Target,
  P extends z.ZodType,
  R extends z.ZodType,
  C extends AnyContract | null,
>(spec: OperationSpec<T, P, R, null, C, null>): OperationSpec<T, P, R, null, C, null>
export function operationType(spec: OperationSpec): OperationSpec {
  return spec
}

/** It completes with `status: ok` and the result of the agent. */
export function completesWith<S extends z.ZodRawShape>(
  result: z.ZodObject<S>,
): SpecOutcome<z.ZodObject<S>> {
  const complete = z.strictObject({ status: z.literal('ok'), ...result.shape })
  return { result, complete, data: (reported) => ({ status: 'ok', ...reported }) }
}

/** The params of a bulk call: a field that they do not have is refused, never dropped. */
export const bulkParams = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `Must not have ${issue.keys.join(', ')}`
        : 'Must be a JSON object',
  })

/** For a type without other params. */
export const noParams: z.ZodType<object> = z.object({})
