import { z } from 'zod'
import type { Contract } from './command.ts'
import type { TokenScope } from './values.ts'

/**
 * What UI and API know of one type of operation. What it changes in the records is in
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
  /** Stands before the name of its target, such as `Change the tier of`. */
  title: string
  target: T
  /** What the agent executes; null: the dashboard executes it itself. */
  command: C
  /** What a token needs to start it and to repeat it. */
  right: TokenScope
  /** What a call takes beside its target and `dry_run`. */
  params: P
  outcome: SpecOutcome<R>
  /** Null: it cannot be started on many targets at once. */
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
  icon: 'flash' | 'refresh'
}

type AnyContract = Contract<string, z.ZodType, z.ZodType>
type Target = 'server' | 'site' | 'any'

interface SpecOutcome<R extends z.ZodType> {
  /** What the agent reports. */
  result: R
  /** The data of the `complete` event, which the dashboard makes of it. */
  complete: z.ZodObject
  data(result: z.output<R>): Record<string, unknown>
}

export interface Bulk<B extends z.ZodType> {
  /** Stands before a number of targets, such as `Change tier of`. */
  title: string
  /** What the call takes beside its targets: a field that it does not name is refused. */
  params: B
  /** What is shown before the value of each param; null: that one is not shown. */
  words: { readonly [N in keyof z.output<B>]-?: string | null }
}

/** The route of bulk calls asks for no more. */
type BulkRight = { right: 'operate' }

export function operationType<
  const T extends Target,
  P extends z.ZodType,
  R extends z.ZodType,
  B extends z.ZodType<Partial<z.output<P>>>,
  C extends AnyContract | null,
  const A extends SiteAction | null = null,
>(spec: OperationSpec<T, P, R, Bulk<B>, C, A> & BulkRight): OperationSpec<T, P, R, Bulk<B>, C, A>
export function operationType<
  const T extends Target,
  P extends z.ZodType,
  R extends z.ZodType,
  C extends AnyContract | null,
>(spec: OperationSpec<T, P, R, null, C, null>): OperationSpec<T, P, R, null, C, null>
export function operationType(spec: OperationSpec): OperationSpec {
  return spec
}

/** It completes with `status: ok` and all that the agent reports. */
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

/** Of a type that takes nothing beside its target. */
export const noParams: z.ZodType<object> = z.object({})
