import type { OperationRow } from '#dashboard/db/rows.ts'
import { paramsFor } from '#dashboard/mail/params.ts'
import type { Sealer } from '#dashboard/trust/seal.ts'
import type { StoredEvent } from '#shared/sse.ts'

/** What an operation is to an agent. */
export function callOf(
  { type, params }: OperationRow,
  sealer: Pick<Sealer, 'open'>,
): { path: string; body: unknown } {
  if (type === 'site.scan') return { path: '/sites/wp-scan?warnings=true', body: params }
  return {
    path: '/exec?warnings=true',
    body: { command: type, params: paramsFor(type, params, sealer) },
  }
}

/** The line of a `log` event. */
export function textOf({ data }: StoredEvent): string {
  return typeof data.message === 'string' ? data.message : ''
}
