import { z } from 'zod'
import { passwordHashOf, releaseAccount, reserveAccount } from '#agent/kernel/database/account.ts'
import { parseAccount } from '#agent/kernel/database/account-record.ts'
import { importDatabase, type SpaceUse } from '#agent/kernel/database/import.ts'
import {
  createEmptyDatabase,
  ensureMariadb,
  removeDatabase,
} from '#agent/kernel/database/mariadb.ts'
import { passwordHash } from '#agent/kernel/database/password-hash.ts'
import {
  type Change,
  declared,
  inOrder,
  moved,
  provided,
  removedTree,
} from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { reapplyQuota } from './larger-quota.ts'
import { accountIn, factsIn, filesIn, previousOf, replacedOf } from './paths.ts'

/** The time of the replaced content, and the time until which the previous state is kept. */
export const PreviousState = z.object({ at: z.iso.datetime(), until: z.iso.datetime() })
export type PreviousState = z.infer<typeof PreviousState>

export async function findPreviousState(
  host: Host,
  user: string,
): Promise<PreviousState | undefined> {
  const text = await host.files.read(factsIn(previousOf(user)))
  return text === undefined ? undefined : PreviousState.parse(JSON.parse(text))
}

/** Returns a value that changes with each restore and undo, for readers of one consistent state. */
export const lastReplacement = async (host: Host, user: string): Promise<number | undefined> =>
  (await host.files.stat(restoresOf(user)))?.mtime_ms

type ReplacedSite = Pick<Site, 'domain' | 'user'>

/** Throws conflict during a replacement; returns what `refuseReplaced` compares. */
export async function refuseReplacing(host: Host, site: ReplacedSite): Promise<number | undefined> {
  const restored = await lastReplacement(host, site.user)
  if (!(await host.files.stat(replacedOf(site.user)))) return restored
  throw conflict(
    `The content of ${site.domain} is being replaced: start the copy when that operation has ended`,
  )
}

/** Throws conflict if the site was replaced since `restored`, or is being replaced. */
export async function refuseReplaced(
  host: Host,
  { domain, user }: ReplacedSite,
  restored: number | undefined,
  what: 'backup' | 'copy',
): Promise<void> {
  if ((await lastReplacement(host, user)) === restored) return
  const again = `start the ${what} again when that operation has ended`
  throw conflict(`The content of ${domain} was replaced meanwhile: ${again}`)
}

/** Removes the state before a restore when it is expired, or what an interrupted removal left. */
export const removeExpiredState = (host: Host, site: Site): Change =>
  provided(
    async () => {
      const facts = await findPreviousState(host, site.user)
      if (!facts) return host.files.stat(previousOf(site.user))
      return Date.parse(facts.until) < host.clock.now()
    },
    removePreviousState(host, site),
  )

/**
 * Removes the previous state, and sets the quota without it. The record of the state goes first: a
 * crash must not leave an undo that restores a part of the files.
 */
export const removePreviousState = (host: Host, site: Site): Change =>
  inOrder(
    declared([], () => host.files.remove(factsIn(previousOf(site.user)))),
    removedTree(host, 'folder', previousOf(site.user)),
    declared([], () => reapplyQuota(host, site)),
  )

export const removeRestoreFolders = (host: Host, user: string): Change =>
  removedTree(host, 'folder', restoresOf(user))

/** Replaces the database by a dump; the account stays. Throws if the saved state is missing. */
export async function loadDatabase(
  host: Host,
  site: Site,
  dump: string,
  space: SpaceUse,
): Promise<void> {
  const { user } = site
  const text = await host.files.read(accountIn(replacedOf(user)))
  if (text === undefined)
    throw new Error('The saved state is missing: the present database stays as it is')
  const kept = parseAccount(text)
  await removeDatabase(host, user).apply()
  if (!(await host.files.stat(dump))) return
  await createEmptyDatabase(host, user, kept)
  await reserveAccount(host, user)
  await importDatabase(host, user, dump, space)
  await releaseAccount(host, site, kept?.password_hash)
}

/**
 * Sets the password of the account to that of wp-config.php, which may be that of another time.
 * Without a readable one it stays. Starts MariaDB if it is stopped, for example during boot.
 */
export async function syncDatabasePassword(host: Host, site: Site): Promise<void> {
  const { user, php, domain } = site
  const tenant = { docroot: docrootOf(user), user, php, domain }
  const password = await host.scanner.databasePassword(tenant).catch(() => undefined)
  if (!password) return
  await ensureMariadb(host)
  const hash = passwordHash(password)
  if (hash === (await passwordHashOf(host, user))) return
  await releaseAccount(host, site, hash)
}

export const alignPasswordStep = (host: Host, site: Site): Step => ({
  name: 'password',
  title: 'Setting the database password from wp-config.php',
  effects: [],
  apply: () => syncDatabasePassword(host, site),
})

/** Gives the site the files in `from`, if there are any; its present ones go to `to`. */
export const swapFiles = (host: Host, user: string, from: string, to: string): Change =>
  provided(
    () => host.files.stat(filesIn(from)),
    inOrder(moved(host, docrootOf(user), filesIn(to)), moved(host, filesIn(from), docrootOf(user))),
  )

/** Undoes a whole or partial `swapFiles`. */
export async function swapBack(host: Host, user: string, from: string, to: string): Promise<void> {
  if (!(await host.files.stat(filesIn(to)))) return
  await moved(host, docrootOf(user), filesIn(from)).apply()
  await moved(host, filesIn(to), docrootOf(user)).apply()
}
