import { isSameStorage, withUserOf } from '#dashboard/features/backups/own/address.ts'
import { listSealedTargets } from '#dashboard/features/backups/own/queries.ts'
import { openTarget } from '#dashboard/features/backups/targets.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { type Opened, withRestic } from './repository.ts'

/** An answer without progress for so long is none: the account of the dashboard had one before. */
const TIMEOUT_MS = 60_000

/**
 * Tries to open the repository of the dashboard with the account of each target of sites on the same
 * storage, as a server could do it. Throws for the first that succeeds, and for one that could not
 * be tried.
 */
export async function refuseReadable(
  { db, sealer }: { db: Database; sealer: Sealer },
  own: Opened,
): Promise<void> {
  for (const target of await listSealedTargets(db)) {
    if (!isSameStorage(own.target.place, target.place)) continue
    const { place, secret } = openTarget(target, sealer)
    const trial = {
      ...own,
      folder: `${own.folder}-trial`,
      target: { place: withUserOf(own.target.place, place), secret: new Secret(secret) },
      stall_ms: Math.min(own.stall_ms, TIMEOUT_MS),
    }
    const { code, stalled } = await withRestic(trial, ({ attempt }) =>
      attempt(['cat', 'config', '--no-lock']),
    )
    if (stalled) throw new Error(untriedText(target.name))
    if (code === 0) throw new Error(readableText(target.name))
  }
}

const readableText = (name: string) =>
  `A server could read this: the account of the target ${name}, which every server gets, opens the repository of the dashboard, too. Use a prefix or an account of its own that this account cannot read`

const untriedText = (name: string) =>
  `The storage did not answer to the account of the target ${name}, so it is unknown whether a server could read the backups of the dashboard: check the storage`
