import type { GrantRow } from './queries.ts'

export function isGrantApplied(
  { person_id, server_id, reported_by, report, kind, expires_at }: GrantRow,
  fingerprints: readonly string[],
): boolean {
  const found = report?.grants.find(({ id }) => id === person_id)
  if (!found || reported_by !== server_id) return false
  const isSame = found.kind === kind && found.expires_at === expires_at
  return isSame && [...found.fingerprints].sort().join() === [...fingerprints].sort().join()
}
