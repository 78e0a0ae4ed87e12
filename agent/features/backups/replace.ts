import { createHash } from 'node:crypto'
import { z } from 'zod'
import { passwordHashOf, releaseAccount, reserveAccount } from '#agent/kernel/database/account.ts'
import { importDatabase, type SpaceUse } from '#agent/kernel/database/import.ts'
import { parseAccount } from '#agent/kernel/database/kept-account.ts'
import {
  createEmptyDatabase,
  ensureMariadb,
  removeDatabase,
} from '#agent/kernel/database/mariadb.ts'
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
import { conflict } from '#shared/kernel/errors.ts'
import { accountIn, factsIn, filesIn, previousOf, replacedOf } from './places.ts'
import { limitAgain } from './room.ts'

/** The time of the backup, and until when the previous state is kept. */
export const Facts = z.object({ at: z.iso.datetime(), until: z.iso.datetime() })
export type Facts = z.infer<typeof Facts>

export async function findPrevious(host: Host, user: string): Promise<Facts | undefined> {
  const text = await host.files.read(factsIn(previousOf(user)))
  return text === undefined ? undefined : Facts.parse(JSON.parse(text))
}

/** Changes with each restore and undo: what is read meanwhile may be of two states. */
export const lastRestore = async (host: Host, user: string): Promise<number | undefined> =>
  (await host.files.stat(restoresOf(user)))?.mtime_ms

type Named = Pick<Site, 'domain' | 'user'>

/**
 * Throws conflict while another operation replaces files or database of a site that is to be
 * copied; returns what `refuseReplaced` compares.
 */
export async function refuseReplacing(host: Host, site: Named): Promise<number | undefined> {
  const restored = await lastRestore(host, site.user)
  if (!(await host.files.stat(replacedOf(site.user)))) return restored
  throw conflict(
    `The content of ${site.domain} is being replaced: start the copy when that operation has ended`,
  )
}

/** Throws conflict if the site was replaced since `restored`, or is being replaced. */
export async function refuseReplaced(
  host: Host,
  { domain, user }: Named,
  restored: number | undefined,
  what: 'backup' | 'copy',
): Promise<void> {
  if ((await lastRestore(host, user)) === restored) return
  const again = `start the ${what} again when that operation has ended`
  throw conflict(`The content of ${domain} was replaced meanwhile: ${again}`)
}

/** The state before a restore, a week after it. */
export const forgetExpired = (host: Host, site: Site): Change =>
  provided(
    async () => {
      const facts = await findPrevious(host, site.user)
      return facts !== undefined && Date.parse(facts.until) < host.clock.now()
    },
    forgottenPrevious(host, site),
  )

/** Then sets the quota without it. */
export const forgottenPrevious = (host: Host, site: Site): Change =>
  inOrder(
    removedTree(host, 'folder', previousOf(site.user)),
    declared([], () => limitAgain(host, site)),
  )

export const forgetRestores = (host: Host, user: string): Change =>
  removedTree(host, 'folder', restoresOf(user))

/**
 * Replaces the database by a dump; the account and its password stay. Throws if the saved state is
 * gone: then the present database is all that is left.
 */
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
 * The password of the account becomes that of wp-config.php, which may be that of another time.
 * Without a readable one it stays. Starts MariaDB if it is stopped, for example during boot.
 */
export async function alignPassword(host: Host, site: Site): Promise<void> {
  const { user, php, domain } = site
  const tenant = { docroot: docrootOf(user), user, php, domain }
  const password = await host.scanner.databasePassword(tenant).catch(() => undefined)
  if (!password) return
  await ensureMariadb(host)
  const hash = hashOf(password)
  if (hash === (await passwordHashOf(host, user))) return
  await releaseAccount(host, site, hash)
}

/** As MariaDB's PASSWORD() makes it. */
function hashOf(password: string): string {
  const once = createHash('sha1').update(password).digest()
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`
}

/** The site gets the files in `from`, if there are any; its present ones go to `to`. */
export const swapFiles = (host: Host, user: string, from: string, to: string): Change =>
  provided(
    () => host.files.stat(filesIn(from)),
    inOrder(moved(host, docrootOf(user), filesIn(to)), moved(host, filesIn(from), docrootOf(user))),
  )

/** Undoes `swapFiles`, also half of it. */
export async function swapBack(host: Host, user: string, from: string, to: string): Promise<void> {
  if (!(await host.files.stat(filesIn(to)))) return
  await moved(host, docrootOf(user), filesIn(from)).apply()
  await moved(host, filesIn(to), docrootOf(user)).apply()
}
