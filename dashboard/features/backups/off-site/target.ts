import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { refuseWeak } from '#dashboard/features/backups/kit.ts'
import { openOwnTarget, PURPOSE } from '#dashboard/features/backups/own/account.ts'
import { addressOf, sharesAccount } from '#dashboard/features/backups/own/address.ts'
import { findOwnTarget, listSealedTargets } from '#dashboard/features/backups/own/queries.ts'
import { openTarget } from '#dashboard/features/backups/targets.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { invalid, notFound } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import type { SetDashboardTarget } from '#shared/recovery/api/dashboard-backup.ts'
import { deleteOwnTarget, putOwnTarget } from './target.queries.ts'

export interface OwnTargetDeps {
  db: Database
  clock: Clock
  sealer: Sealer
}

/** Changes the target and requests a check. Another place needs the secret again. */
export async function changeOwnTarget(
  { db, clock, sealer }: OwnTargetDeps,
  { place, secret, keeper_key }: z.output<typeof SetDashboardTarget>,
  user_id: number,
): Promise<void> {
  refuseWeak('keeper_key', keeper_key)
  const present = await findOwnTarget(db)
  const isSame = present !== undefined && isDeepStrictEqual(place, present.place)
  const opened = secret ?? (isSame ? openOwnTarget(present, sealer).secret.reveal() : '')
  if (opened === '' && place.kind !== 'local') throw invalid({ secret: ['Is required'] })
  for (const target of await listSealedTargets(db)) {
    if (sharesAccount({ place, secret: opened }, openTarget(target, sealer))) {
      throw invalid({ secret: [sharedAccountText(target.name)] })
    }
  }
  const now = timestamp(clock)
  const values = {
    place,
    secret_sealed: sealer.seal(PURPOSE, new Secret(opened)),
    checked_at: null,
    keeper_key,
    created_at: present?.created_at ?? now,
  }
  await putOwnTarget(db, values, {
    entry: entryOf(clock, { type: 'backup.dashboard_target', user_id }),
    request: { at: now, only_check: true },
    forgets: present !== undefined && addressOf(present.place) !== addressOf(place),
  })
}

/** Removes the target. The storage is not changed. */
export async function removeOwnTarget({ db, clock }: OwnTargetDeps, user_id: number) {
  if (!(await findOwnTarget(db))) throw notFound('Target of the dashboard')
  await deleteOwnTarget(db, entryOf(clock, { type: 'backup.dashboard_target_delete', user_id }))
}

const sharedAccountText = (name: string) =>
  `Is that of the target ${name}, which every server gets: use an account that no target of sites has`
