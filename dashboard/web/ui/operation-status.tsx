import type { OperationView } from '#shared/api/operations.ts'
import { Status } from './status.tsx'

type Shown = Pick<OperationView, 'status' | 'next_at' | 'warnings'>

/** How an operation stands: one that waits for its agent, and one with warnings, are amber. */
export function OperationStatus({ of: { status, next_at, warnings } }: { of: Shown }) {
  if (next_at !== null) return <Status value="waiting" tone="warn" />
  if (status === 'success' && warnings.length > 0) return <Status value="warnings" tone="warn" />
  return <Status value={status} />
}
