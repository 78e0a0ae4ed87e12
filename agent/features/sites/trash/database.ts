import { releaseAccount, reserveAccount } from '#agent/kernel/database/account.ts'
import {
  findAccount,
  type KeptAccount,
  parseAccount,
  renderAccount,
} from '#agent/kernel/database/account-record.ts'
import { databaseSize, dumpDatabase } from '#agent/kernel/database/dump.ts'
import { importDatabase } from '#agent/kernel/database/import.ts'
import {
  createEmptyDatabase,
  databaseEffects,
  ensureMariadb,
  removeDatabase,
} from '#agent/kernel/database/mariadb.ts'
import { type Change, declared } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { keptHomeOf, TRASH, trashOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'

export const dumpPathOf = (user: string) => `${trashOf(user)}/database.sql`
const accountPathOf = (user: string) => `${trashOf(user)}/account.json`

/**
 * Stores dump and account in the site's folder in the trash. A site that lost its database has no
 * dump. Disables logins with the password, so that no connection holds a lock that the dump waits
 * for. Yields warnings.
 */
export const keptDatabase = (host: Host, site: Site) => ({
  async effects(): Promise<Effect[]> {
    const folder = trashOf(site.user)
    const missing = await effects.creationsOf(host, 'folder', TRASH, folder)
    return missing.length > 0 ? missing : [effects.change('folder', folder)]
  },
  async *apply(): Progress<void> {
    yield* await trashDatabase(host, site)
  },
  undo: () => reopenDatabase(host, site),
})

export async function trashDatabase(host: Host, { user }: Site): Promise<string[]> {
  if (await host.files.stat(keptHomeOf(user))) {
    throw conflict(`${keptHomeOf(user)} already exists: move it and try again`)
  }
  for (const path of [TRASH, trashOf(user)]) await host.files.mkdir(path, { mode: 0o700 })
  await writeTrashedAccount(host, user)
  await host.files.remove(dumpPathOf(user))
  const size = await databaseSize(host, user)
  if (size === undefined) return []
  await reserveAccount(host, user)
  return dumpDatabase(host, user, { path: dumpPathOf(user), size })
}

/** Reopens the database that `trashDatabase` closed, and removes the files of `trashDatabase`. */
async function reopenDatabase(host: Host, site: Site): Promise<void> {
  const account = await readTrashedAccount(host, site.user)
  if (account) await ensureMariadb(host)
  if (account) await releaseAccount(host, site, account.password_hash)
  await removeTrashedDatabase(host, site).apply()
}

/** Removes the files of `trashDatabase`; the site's files, if present, stay. */
export const removeTrashedDatabase = (host: Host, { user }: Site): Change =>
  declared([effects.remove('folder', trashOf(user))], async () => {
    const kept = keptHomeOf(user)
    if (await host.files.stat(kept)) throw new Error(`${kept} is still there`)
    await host.files.remove(trashOf(user))
  })

/** Restores the database from the dump only: the rest of the database is removed first. */
export const restoreTrashedDatabase = (host: Host, site: Site): Change => ({
  async effects() {
    const { user } = site
    const isKept =
      (await readTrashedAccount(host, user)) ?? (await host.files.stat(dumpPathOf(user)))
    return isKept ? databaseEffects(user).toReversed() : []
  },
  async apply() {
    const { user } = site
    await removeDatabase(host, user).apply()
    const account = await readTrashedAccount(host, user)
    const dump = await host.files.stat(dumpPathOf(user))
    if (!account && !dump) return
    await createEmptyDatabase(host, user, account)
    await reserveAccount(host, user)
    if (dump) await importDatabase(host, user, dumpPathOf(user), 'leave_some')
    await releaseAccount(host, site, account?.password_hash)
  },
})

/** Writes the account, unless it is closed already: then its password is in the file. */
async function writeTrashedAccount(host: Host, user: string): Promise<void> {
  const found = await findAccount(host, user)
  const account = found && { ...(await readTrashedAccount(host, user)), ...found }
  await host.files.write(accountPathOf(user), renderAccount(account), { mode: 0o600 })
}

async function readTrashedAccount(host: Host, user: string): Promise<KeptAccount | undefined> {
  return parseAccount(await host.files.read(accountPathOf(user)))
}
