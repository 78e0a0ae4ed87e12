import { z } from 'zod'
import type { TrashedSite } from '#shared/agent.ts'
import { conflict } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import type { Host } from '../host/ports.ts'
import {
  accountStatements,
  databaseSize,
  dumpDatabase,
  importDatabase,
  restoreAccount,
} from './database-dump.ts'
import * as effects from './effects.ts'
import { accountOf, removeDatabase } from './mariadb.ts'
import { homeOf, logsOf, TRASH, trashOf } from './paths.ts'
import { listSites, type Site } from './sites.ts'

const keptHome = (user: string) => `${trashOf(user)}/home`
const dumpPath = (user: string) => `${trashOf(user)}/database.sql`
const accountPath = (user: string) => `${trashOf(user)}/account.json`
const factsPath = (user: string) => `${trashOf(user)}/facts.json`

const Facts = z.object({ deleted_at: z.iso.datetime(), size: z.number().nonnegative() })
const Statements = z.array(z.string())

const RESERVE = 64 * 2 ** 20
const SECRET = { mode: 0o600 }

/** Throws conflict when a dump of the site's database may not fit on the disk: as hex it is twice as long. */
export async function refuseWithoutSpace(host: Host, { domain, user }: Site): Promise<void> {
  const size = await databaseSize(host, user)
  if (size === undefined) return
  await refuseLack(host, '/srv/www', 2 * size, `The trash cannot take ${domain}`)
}

/** Throws conflict when something has taken the place of what is to come back, or there is no room. */
export async function refuseUnrestorable(host: Host, { domain, user }: Site): Promise<void> {
  if (!(await host.files.stat(keptHome(user))) && !(await host.files.stat(homeOf(user)))) {
    throw conflict(`${keptHome(user)} is gone: ${domain} can only be purged`)
  }
  if ((await host.files.stat(keptHome(user))) && (await host.files.stat(homeOf(user)))) {
    throw conflict(`${homeOf(user)} is in the way: move it and try again`)
  }
  const dump = await host.files.stat(dumpPath(user))
  if (dump) await refuseLack(host, '/var/lib/mysql', 2 * dump.size, `${domain} cannot come back`)
}

/** Dump and account, in the site's folder in the trash. A site that lost its database has neither. */
export async function keepDatabase(host: Host, { user }: Site): Promise<void> {
  if (await host.files.stat(keptHome(user))) {
    throw conflict(`${keptHome(user)} is in the way: move it and try again`)
  }
  await host.files.remove(trashOf(user))
  for (const path of [TRASH, trashOf(user)]) await host.files.mkdir(path, { mode: 0o700 })
  const account = JSON.stringify(await accountStatements(host, user))
  await host.files.write(accountPath(user), `${account}\n`, SECRET)
  if ((await databaseSize(host, user)) === undefined) return
  await dumpDatabase(host, user, dumpPath(user))
}

/** What `keepDatabase` would do. */
export async function keepingDatabase(host: Host, { user }: Site): Promise<Effect[]> {
  const missing = await effects.making(host, 'folder', TRASH, trashOf(user))
  return missing.length > 0 ? missing : [effects.change('folder', trashOf(user))]
}

/** What `forgetDatabase` would do. */
export const forgettingDatabase = ({ user }: Site): Effect[] => [
  effects.remove('folder', trashOf(user)),
]

/** What `keepDatabase` made; the site's files, if they are there, stay. */
export async function forgetDatabase(host: Host, { user }: Site): Promise<void> {
  if (await host.files.stat(keptHome(user))) throw new Error(`${keptHome(user)} is still there`)
  await host.files.remove(trashOf(user))
}

/** From the dump alone: what is left of the database is removed first. */
export async function bringDatabaseBack(host: Host, { user }: Site): Promise<void> {
  await removeDatabase(host, user)
  const account = await host.files.read(accountPath(user))
  await restoreAccount(host, Statements.parse(JSON.parse(account ?? '[]')))
  if (await host.files.stat(dumpPath(user))) await importDatabase(host, dumpPath(user))
}

/** What `bringDatabaseBack` would do. */
export async function bringingDatabaseBack(host: Host, { user }: Site): Promise<Effect[]> {
  const dump = await host.files.stat(dumpPath(user))
  const account = await host.files.read(accountPath(user))
  return [
    ...(Statements.parse(JSON.parse(account ?? '[]')).length > 0
      ? [effects.create('account', accountOf(user))]
      : []),
    ...(dump ? [effects.create('database', user)] : []),
  ]
}

/** What `keepFiles` would do. */
export const keepingFiles = (host: Host, { user }: Site): Promise<Effect[]> =>
  movingFolder(host, homeOf(user), keptHome(user))

/** What `bringFilesBack` would do. */
export const bringingFilesBack = (host: Host, { user }: Site): Promise<Effect[]> =>
  movingFolder(host, keptHome(user), homeOf(user))

async function movingFolder(host: Host, from: string, to: string): Promise<Effect[]> {
  if (!(await host.files.stat(from))) return []
  return [effects.remove('folder', from), effects.create('folder', to)]
}

/** Owners, modes and times stay what they are: it is one rename. What is not there is fine. */
export async function keepFiles(host: Host, { user }: Site): Promise<void> {
  if (!(await host.files.stat(homeOf(user)))) return
  await host.files.rename(homeOf(user), keptHome(user))
}

export async function bringFilesBack(host: Host, { user }: Site): Promise<void> {
  if (!(await host.files.stat(keptHome(user)))) return
  await host.files.rename(keptHome(user), homeOf(user))
}

/** `deleted_at` is now. */
export async function keepFacts(host: Host, { user }: Site): Promise<void> {
  const argv = ['du', '--summarize', '--one-file-system', '--block-size=1', '--', trashOf(user)]
  const { stdout } = await host.shell.run(argv)
  const size = Number(/^\d+/.exec(stdout)?.[0] ?? 0)
  const facts = { deleted_at: new Date(host.clock.now()).toISOString(), size }
  await host.files.write(factsPath(user), `${JSON.stringify(facts)}\n`, SECRET)
}

/** What `keepFacts` does. */
export const keepingFacts = ({ user }: Site): Effect[] => [effects.create('file', factsPath(user))]

export async function readFacts(host: Host, user: string): Promise<z.infer<typeof Facts>> {
  const text = await host.files.read(factsPath(user))
  const found = text === undefined ? undefined : Facts.safeParse(JSON.parse(text)).data
  return found ?? { deleted_at: new Date(0).toISOString(), size: 0 }
}

/** By rm(1), as in removeFolders; the logs never went to the trash. */
export async function emptyTrash(host: Host, { user }: Site): Promise<void> {
  if (await host.files.stat(trashOf(user))) {
    await host.shell.run(['rm', '-rf', '--one-file-system', '--', trashOf(user)])
  }
  await host.files.remove(logsOf(user))
}

/** What `emptyTrash` would do. */
export const emptying = (host: Host, { user }: Site): Promise<Effect[]> =>
  effects.removing(host, 'folder', trashOf(user), logsOf(user))

/** Sorted by domain. */
export async function listTrash(host: Host): Promise<TrashedSite[]> {
  const places = [
    [await listSites(host, 'trash'), true],
    [await listSites(host, 'purging'), false],
  ] as const
  const found = places.flatMap(([sites, restorable]) =>
    sites.map(async ({ domain, user, php, tier, tls }) => ({
      ...{ domain, user, php, tier, tls },
      ...(await readFacts(host, user)),
      restorable,
    })),
  )
  return (await Promise.all(found)).sort((one, other) => (one.domain < other.domain ? -1 : 1))
}

async function refuseLack(host: Host, path: string, bytes: number, what: string): Promise<void> {
  const { free } = await host.files.space(path)
  const needed = bytes + RESERVE
  if (free >= needed) return
  const [has, needs] = [free, needed].map((size) => Math.ceil(size / 2 ** 20))
  throw conflict(`${what}: ${has} MB are free on this server, and ${needs} MB may be needed`)
}
