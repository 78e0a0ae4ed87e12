import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { sharesAccount } from './address.ts'
import { findOwnTarget, type OwnTarget } from './queries.ts'

export const PURPOSE = 'target of the dashboard'

export const openOwnTarget = ({ place, secret_sealed }: OwnTarget, sealer: Sealer) => ({
  place,
  secret: sealer.open(PURPOSE, secret_sealed),
})

/** Throws 422 for a target of sites with the account of the target of the dashboard. */
export async function refuseOwnAccount(
  { db, sealer }: { db: Database; sealer: Sealer },
  access: { place: BackupPlace; secret: string },
): Promise<void> {
  const own = await findOwnTarget(db)
  if (!own) return
  const { place, secret } = openOwnTarget(own, sealer)
  if (!sharesAccount(access, { place, secret: secret.reveal() })) return
  throw invalid({
    secret: ['Is that of the target of the dashboard, which servers must not be able to read'],
  })
}
