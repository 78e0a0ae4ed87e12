import type { OperationView } from '#shared/operations/api/operations.ts'
import { Status } from './status.tsx'

type Outcome = Pick<OperationView, 'status' | 'next_at' | 'warnings'>

/** The status of an operation: amber while it waits for its agent, and with warnings. */
export function OperationStatus({ of: { status, next_at, warnings } }: { of: Outcome }) {
  if (next_at !== null) return <Status value="waiting" tone="warn" />
  if (status === 'success' && warnings.length > 0) return <Status value="warnings" tone="warn" />
  return <Status value={status} />
}
