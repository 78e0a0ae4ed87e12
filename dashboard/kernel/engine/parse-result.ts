import type { z } from 'zod'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { COMMANDS, type CommandName, type ResultOf } from '#shared/commands.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { OPERATION_TYPES, type OperationType, type ReportOf } from '#shared/operation-types.ts'
import { contradictedField } from '#shared/operations/confirmed-results.ts'
import { MAX_WARNINGS, Warning } from '#shared/servers/agent.ts'
import type { OperationRules, RecordChange } from './rules.ts'

/** The data of the `complete` event, and the change of the records. */
export interface ParsedResult {
  data: Record<string, unknown>
  change: RecordChange
  /** The missing parts of the result, which only the record of the operation has. */
  warnings?: Warning[]
}

/**
 * Parses the report of an agent. Throws a ZodError when it breaks the contract, and `result_mismatch`
 * when it contradicts what was asked for: no answer chooses what is changed in the records.
 */
export function parseResult(
  { type, params }: Pick<OperationRow, 'type' | 'params'>,
  reported: unknown,
  { rules, now, trash_ms }: { rules: OperationRules<OperationType>; now: string; trash_ms: number },
): ParsedResult {
  const report = OPERATION_TYPES[type].outcome.result.parse(reported)
  refuseMismatch(type, report, params)
  const change = rules.succeeded(report, { params, now, trash_ms })
  return { data: completeDataOf(type, report), change, warnings: warningsIn(reported) }
}

/** A command that can be a part of an operation: it has the name of a type. */
export type PartName = CommandName & OperationType

export function parseCommandResult<N extends PartName>(
  command: N,
  data: unknown,
  params: object,
): ResultOf<N> {
  const { result }: { result: z.ZodType } = COMMANDS[command]
  const parsed = result.parse(data)
  refuseMismatch(command, parsed, params)
  return parsed as ResultOf<N>
}

/** Throws if a result contradicts the params of its operation. */
function refuseMismatch(type: OperationType, result: unknown, params: unknown): void {
  const field = contradictedField(type, result, params)
  if (field === undefined) return
  const message = `The agent answered with another ${field} than it was asked for: nothing of it was recorded. Its server may be compromised`
  throw new ServiceError('internal', { message, refusal: 'result_mismatch' })
}

export function completeDataOf(type: OperationType, report: ReportOf<OperationType>) {
  const { data }: { data(report: ReportOf<OperationType>): Record<string, unknown> } =
    OPERATION_TYPES[type].outcome
  return data(report)
}

/** Returns the warnings. An agent of any protocol may report none; invalid ones are dropped. */
function warningsIn(reported: unknown): Warning[] {
  const found: unknown = Object(reported).warnings
  if (!Array.isArray(found)) return []
  return found.slice(0, MAX_WARNINGS).flatMap((one) => Warning.safeParse(one).data ?? [])
}
