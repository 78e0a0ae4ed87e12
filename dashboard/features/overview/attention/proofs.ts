import type { CoverageMoment } from '#dashboard/features/backups/coverage.queries.ts'
import {
  listByProof,
  type ProofState,
} from '#dashboard/features/backups/proof-attention.queries.ts'
import type { BackupPart } from '#dashboard/features/backups/server-parts.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { type Attention, type AttentionItem, SHOWN } from '#shared/overview/api/attention.ts'
import { groupOf, siteItem, withAdvice } from './item.ts'

type Row = Awaited<ReturnType<typeof listByProof>>[number]

export async function proofTroubles(
  db: Database,
  moment: CoverageMoment,
  parts: ReadonlyMap<number, BackupPart>,
  visible: Visible | undefined,
): Promise<Attention[]> {
  const rows = (state: ProofState) => {
    const server_ids = [...parts].filter(([, part]) => part[state] > 0).map(([id]) => id)
    if (server_ids.length === 0) return []
    return listByProof(db, { ...moment, state, server_ids, visible, limit: SHOWN })
  }
  const [failed, unproven] = [await rows('failed'), await rows('unproven')]
  return [
    ...groupOf('backup_proof_failed', failed.map(failedItem), failed[0]?.total ?? 0),
    ...groupOf('backup_unproven', unproven.map(unprovenItem), unproven[0]?.total ?? 0),
  ]
}

function failedItem({ backup_at, findings, proof_at, ...site }: Row): AttentionItem {
  const [finding] = findings ?? []
  const why = finding?.message ?? 'no reason was given'
  const reason = withAdvice(
    `The backup of ${day(backup_at)} is not proven: ${why}`,
    'back the site up again, then prove the new backup on its page',
  )
  return siteItem(site, { severity: 'critical', reason, at: proof_at })
}

function unprovenItem({ proven_at, ...site }: Row): AttentionItem {
  const since =
    proven_at === null
      ? 'No backup of the site has been proven'
      : `The last proven backup of the site is from the proof of ${day(proven_at)}`
  const reason = withAdvice(since, 'prove one on its page to see why')
  return siteItem(site, { severity: 'warning', reason, at: proven_at })
}

const day = (time: string | null) => (time ?? '').slice(0, 10)
