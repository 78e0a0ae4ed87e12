import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { EnrolmentState } from '#shared/servers/api/enrolment.ts'
import { getTrust, MAX_FAILURES } from './queries.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'>

/** Returns the trust and the enrolment of the agent of a server. Throws not_found. */
export async function enrolmentState(
  { db, clock }: Deps,
  server_id: number,
): Promise<EnrolmentState> {
  const { enrolled_at, expires_at, failures, last_error, last_code } = await getTrust(db, server_id)
  if (expires_at === null) return { enrolled_at, code: null }
  const isOver = expires_at <= timestamp(clock)
  const isBurnt = (failures ?? 0) >= MAX_FAILURES
  const status = isBurnt ? 'refused' : isOver ? 'expired' : 'open'
  const code = { status, expires_at, reason: last_error ?? '' } as const
  return { enrolled_at, code: { ...code, ...(last_code && { reason_code: last_code }) } }
}
