import type { OperationRow } from '#dashboard/db/rows.ts'
import { MOST_WARNINGS, Warning } from '#shared/agent.ts'
import {
  OPERATION_TYPES,
  type OperationType,
  type ReportOf,
} from '#shared/operation-types/index.ts'
import type { Change, OperationRules } from './rules.ts'

/** The data of the `complete` event, and its changes. */
export interface Success {
  data: Record<string, unknown>
  change: Change
  /** The missing parts of the result: on the record of the operation alone. */
  warnings?: Warning[]
}

/** Parses the report of an agent; throws a ZodError when it breaks the contract. */
export function successOf(
  { type, params }: Pick<OperationRow, 'type' | 'params'>,
  reported: unknown,
  { rules, now, trash_ms }: { rules: OperationRules<OperationType>; now: string; trash_ms: number },
): Success {
  const report = OPERATION_TYPES[type].outcome.result.parse(reported)
  const change = rules.succeeded(report, { params, now, trash_ms })
  return { data: dataOf(type, report), change, warnings: warningsIn(reported) }
}

export function dataOf(type: OperationType, report: ReportOf<OperationType>) {
  const { data }: { data(report: ReportOf<OperationType>): Record<string, unknown> } =
    OPERATION_TYPES[type].outcome
  return data(report)
}

/** An older agent reports none; invalid ones are dropped. */
function warningsIn(reported: unknown): Warning[] {
  const found: unknown = Object(reported).warnings
  if (!Array.isArray(found)) return []
  return found.slice(0, MOST_WARNINGS).flatMap((one) => Warning.safeParse(one).data ?? [])
}
