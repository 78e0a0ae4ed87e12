import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import { type RulesDeps, type RulesTable, rulesOf } from './rules.ts'

/** The form of an operation for an agent. */
export function callOf(
  deps: Pick<RulesDeps, 'sealer'> & { types: RulesTable },
  { type, params }: OperationRow,
  with_password = false,
): { path: string; body: unknown } {
  const body = rulesOf(deps, type).sent(params, deps.sealer, with_password)
  const command = OPERATION_TYPES[type].command?.name
  // Scans have their own route.
  return command === 'wp.scan'
    ? { path: '/sites/wp-scan?warnings=true&steps=true', body }
    : { path: '/exec?warnings=true&steps=true', body: { command, params: body } }
}

/** The line of a `log` event. */
export function textOf({ data }: StoredEvent): string {
  return typeof data.message === 'string' ? data.message : ''
}
