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
import type { Step } from '#agent/kernel/steps/command.ts'
import type { KnownRepository } from '#shared/backups/backup.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { HIDDEN, Secret } from '#shared/kernel/secret.ts'
import { filesOf, type Repository } from './repository.ts'
import type { OpenRepository } from './run.ts'

const SECRET = { mode: 0o600 }
const PRIVATE = { mode: 0o700 }
const PASSWORD_LENGTH = 48

const folderOf = ({ settings }: Host, name = '') => `${settings.state_dir}/backups/${name}`
/**
 * The folder with the files of an open repository. A backup has one of its own: it runs beside the
 * other commands of its site, which would replace or remove the files of each other.
 */
type OpenFolder = 'open' | 'saving'
const openFolderOf = (host: Host, name: string, folder: OpenFolder) =>
  `${folderOf(host, name)}/${folder}`
const cacheOf = ({ settings }: Host, name: string) => `${settings.state_dir}/cache/restic/${name}`
const passwordsOf = (host: Host, owner: string) => `${folderOf(host, owner)}/passwords`
const passwordPathOf = (host: Host, owner: string, name: string) =>
  `${passwordsOf(host, owner)}/${name}`

const idOf = (password: string): string => createHash('sha256').update(password).digest('hex')

const creatingOf = (host: Host, owner: string) => `${folderOf(host, owner)}/creating`

const isSent = (password: Secret): boolean => !['', HIDDEN].includes(password.reveal())

export const withPassword = async <P extends Omit<KnownRepository, 'target'>>(
  params: P,
  host: Host,
): Promise<P> => ({ ...params, password: await passwordOf(host, params) })

/** Adds the password of the source repository to the params. */
export const withSourcePassword = async <P extends { from: object }>(
  params: P,
  host: Host,
): Promise<P> =>
  'password_id' in params.from
    ? { ...params, from: await withPassword(params.from as KnownRepository, host) }
    : params

/**
 * Returns the password of a repository from the request, or else from this server, which has it if
 * a site of it is backed up there. Throws conflict with `password_missing`.
 */
export async function passwordOf(
  host: Host,
  { repository: name, password_id, password }: Omit<KnownRepository, 'target'>,
): Promise<Secret> {
  if (isSent(password)) return password
  const [known] = await storedPasswords(host, name, [password_id])
  if (known) return known.password
  throw conflict(
    `This server does not have the password of the repository ${name}`,
    PASSWORD_MISSING,
  )
}

export const PASSWORD_MISSING = 'password_missing'
export const REPOSITORY_INCOMPLETE = 'repository_incomplete'

/** Returns this server's passwords with one of the ids for a repository of this name. */
export async function storedPasswords(
  host: Host,
  name: string,
  ids: readonly string[],
): Promise<{ position: number; password: Secret }[]> {
  const owners = await host.files.list(folderOf(host).slice(0, -1))
  const kept = await Promise.all(owners.map((owner) => storedPassword(host, owner.name, name)))
  return kept.flatMap((text) => {
    const position = text ? ids.indexOf(idOf(text)) : -1
    return text && position >= 0 ? { position, password: new Secret(text) } : []
  })
}

const storedPassword = async (host: Host, owner: string, name: string) =>
  (await host.files.read(passwordPathOf(host, owner, name)))?.trim()

/**
 * Returns the password of a new repository of a site, which this server stores. It is generated if
 * there is none yet, or if the creation of its repository was interrupted.
 */
export async function provideNewPassword(host: Host, owner: string, name: string): Promise<Secret> {
  const known = await storedPassword(host, owner, name)
  if (known && !(await isCreationInterrupted(host, owner, name))) return new Secret(known)
  const password = new Secret(host.random.text(PASSWORD_LENGTH))
  await storePassword(host, owner, { name, password })
  return password
}

/**
 * Records the name of a repository while restic creates it: restic never completes a creation that
 * was interrupted between key and configuration. A name that is left is not used any more.
 */
export async function recordingCreation<R>(
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

/** Returns whether this owner's last creation of a repository was of this one, and did not end. */
export const isCreationInterrupted = async (
  host: Host,
  owner: string,
  name: string,
): Promise<boolean> => (await host.files.read(creatingOf(host, owner)))?.trim() === name

/** Stores a password that has opened its repository, for later backups. */
export async function storePassword(
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

/** `owner` is the site whose folder has the files, if it is not that of the repository. */
export const openRepositoryOf = (
  host: Host,
  repository: Repository,
  owner: string = repository.name,
  folder: OpenFolder = 'open',
): OpenRepository => ({
  repository,
  files: openFolderOf(host, owner, folder),
  cache: cacheOf(host, owner),
})

/** Writes the files of a repository; `closeFiles` removes the secrets again. */
export function openFiles(
  host: Host,
  repository: Repository,
  owner: string = repository.name,
  folder: OpenFolder = 'open',
): Change {
  const path = openFolderOf(host, owner, folder)
  return declared([create('folder', path)], async () => {
    await host.files.remove(path)
    await makeFolders(host, owner)
    await host.files.mkdir(path, PRIVATE)
    for (const [name, text] of Object.entries(filesOf(repository))) {
      await host.files.write(`${path}/${name}`, text, SECRET)
    }
  })
}

export function closeFiles(host: Host, name: string, folder: OpenFolder = 'open'): Change {
  const path = openFolderOf(host, name, folder)
  return declared([remove('folder', path)], () => host.files.remove(path))
}

/** Opens the files of a repository until `closeFiles`. */
export const openFilesStep = (
  host: Host,
  repository: Repository,
  owner: string,
  folder?: OpenFolder,
): Step => ({
  name: 'target',
  title: 'Connecting to the target',
  ...openFiles(host, repository, owner, folder),
  undo: closeFiles(host, owner, folder).apply,
})

/** Removes the passwords of the repositories of a site and the caches of restic. */
export const removeRepositorySecrets = (host: Host, owner: string): Change =>
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
