import { createHash } from 'node:crypto'
import {
  type Change,
  declared,
  deferred,
  inOrder,
  removedTree,
} from '#agent/kernel/effects/change.ts'
import { create, remove } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { KnownRepository } from '#shared/backups/backup.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { HIDDEN, Secret } from '#shared/kernel/secret.ts'
import { filesOf, type Repository } from './repository.ts'
import type { Opened } from './run.ts'

const SECRET = { mode: 0o600 }
const PRIVATE = { mode: 0o700 }
const PASSWORD_LENGTH = 48

const folderOf = ({ settings }: Host, name = '') => `${settings.state_dir}/backups/${name}`
const openFolderOf = (host: Host, name: string) => `${folderOf(host, name)}/open`
const cacheOf = ({ settings }: Host, name: string) => `${settings.state_dir}/cache/restic/${name}`
const passwordsOf = (host: Host, owner: string) => `${folderOf(host, owner)}/passwords`
const passwordPathOf = (host: Host, owner: string, name: string) =>
  `${passwordsOf(host, owner)}/${name}`

const idOf = (password: string): string => createHash('sha256').update(password).digest('hex')

const creatingOf = (host: Host, owner: string) => `${folderOf(host, owner)}/creating`

const isSent = (password: Secret): boolean => !['', HIDDEN].includes(password.reveal())

/** The params with the password of their repository: see `passwordOf`. */
export const withPassword = async <P extends Omit<KnownRepository, 'target'>>(
  params: P,
  host: Host,
): Promise<P> => ({ ...params, password: await passwordOf(host, params) })

/** The same for a command that brings the content of a backup. */
export const withSourcePassword = async <P extends { from: object }>(
  params: P,
  host: Host,
): Promise<P> =>
  'password_id' in params.from
    ? { ...params, from: await withPassword(params.from as KnownRepository, host) }
    : params

/**
 * The password of a repository: the one that came with the request, or else that of this server, which
 * has it if a site of it is backed up there. Throws conflict with `password_missing`.
 */
export async function passwordOf(
  host: Host,
  { repository: name, password_id, password }: Omit<KnownRepository, 'target'>,
): Promise<Secret> {
  if (isSent(password)) return password
  const [known] = await keptPasswords(host, name, [password_id])
  if (known) return known.password
  throw conflict(`This server does not have the password of the repository ${name}`, MISSING)
}

export const MISSING = 'password_missing'
export const INCOMPLETE = 'repository_incomplete'

/**
 * Returns the passwords with one of the ids that the sites of this server keep for a repository of
 * this name.
 */
export async function keptPasswords(
  host: Host,
  name: string,
  ids: readonly string[],
): Promise<{ position: number; password: Secret }[]> {
  const owners = await host.files.list(folderOf(host).slice(0, -1))
  const kept = await Promise.all(owners.map((owner) => keptPassword(host, owner.name, name)))
  return kept.flatMap((text) => {
    const position = text ? ids.indexOf(idOf(text)) : -1
    return text && position >= 0 ? { position, password: new Secret(text) } : []
  })
}

const keptPassword = async (host: Host, owner: string, name: string) =>
  (await host.files.read(passwordPathOf(host, owner, name)))?.trim()

/**
 * The password of a new repository of a site, which this server keeps: made, if there is none yet, or
 * if the creation of its repository was interrupted.
 */
export async function newPassword(host: Host, owner: string, name: string): Promise<Secret> {
  const known = await keptPassword(host, owner, name)
  if (known && !(await isHalfMade(host, owner, name))) return new Secret(known)
  const password = new Secret(host.random.text(PASSWORD_LENGTH))
  await keepPassword(host, owner, { name, password })
  return password
}

/**
 * restic stores the key of a new repository, then its configuration, and never completes one that was
 * interrupted in between. Meanwhile the name of the repository stands in a file of this server, which
 * does not use it any more if that file is left.
 */
export async function creating<R>(
  host: Host,
  owner: string,
  name: string,
  create: () => Promise<R>,
): Promise<R> {
  await host.files.write(creatingOf(host, owner), `${name}\n`, SECRET)
  const created = await create()
  await host.files.remove(creatingOf(host, owner))
  return created
}

/** Whether the last creation of a repository by this owner was of this one, and did not end. */
export const isHalfMade = async (host: Host, owner: string, name: string): Promise<boolean> =>
  (await host.files.read(creatingOf(host, owner)))?.trim() === name

/** For later backups: once it has opened the repository. */
export async function keepPassword(
  host: Host,
  owner: string,
  { name, password }: Pick<Repository, 'name' | 'password'>,
): Promise<void> {
  const path = passwordPathOf(host, owner, name)
  if ((await host.files.read(path))?.trim() === password.reveal()) return
  await makeFolders(host, owner)
  await host.files.mkdir(passwordsOf(host, owner), PRIVATE)
  await host.files.write(path, `${password.reveal()}\n`, SECRET)
}

/** `owner`: the site whose folder has the files, if it is another one than that of the repository. */
export const openedOf = (
  host: Host,
  repository: Repository,
  owner: string = repository.name,
): Opened => ({
  repository,
  files: openFolderOf(host, owner),
  cache: cacheOf(host, owner),
})

/** Writes the files of a repository, and removes them: secrets of a target stay only meanwhile. */
export function openFiles(
  host: Host,
  repository: Repository,
  owner: string = repository.name,
): Change {
  const path = openFolderOf(host, owner)
  return declared([create('folder', path)], async () => {
    await host.files.remove(path)
    await makeFolders(host, owner)
    await host.files.mkdir(path, PRIVATE)
    for (const [name, text] of Object.entries(filesOf(repository))) {
      await host.files.write(`${path}/${name}`, text, SECRET)
    }
  })
}

export function closeFiles(host: Host, name: string): Change {
  const path = openFolderOf(host, name)
  return declared([remove('folder', path)], () => host.files.remove(path))
}

/**
 * The passwords of the repositories of a site, and what restic has in its caches: the dashboard and
 * the kit open them.
 */
export const forgetRepositories = (host: Host, owner: string): Change =>
  deferred(async () => {
    const names = await host.files.list(passwordsOf(host, owner))
    const caches = new Set([owner, ...names.map(({ name }) => name)])
    return inOrder(
      removedTree(host, 'folder', folderOf(host, owner)),
      ...[...caches].map((name) => removedTree(host, 'folder', cacheOf(host, name))),
    )
  })

async function makeFolders(host: Host, name: string): Promise<void> {
  const own = folderOf(host, name)
  for (const path of [folderOf(host).slice(0, -1), own, cacheOf(host, name)]) {
    await host.files.mkdir(path, PRIVATE)
  }
}
