import type { Host } from '#agent/host/ports.ts'
import { type Change, declared, deferred, inOrder, removedTree } from '#agent/os/effects/change.ts'
import { create, remove } from '#agent/os/effects/effects.ts'
import { conflict } from '#shared/errors.ts'
import { Secret } from '#shared/secret.ts'
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

interface KnownPassword {
  /** That of the dashboard. */
  given?: Secret | undefined
  /** The repository has a password: a new one would open nothing. */
  is_begun?: boolean | undefined
}

/**
 * The password of a repository of a site: the given one, that of this server, or a new one, which
 * the server keeps. Throws conflict with `password_missing` if the repository has one that this
 * server does not have.
 */
export async function passwordOf(
  host: Host,
  owner: string,
  name: string,
  { given, is_begun = false }: KnownPassword = {},
): Promise<Secret> {
  if (given) return given
  const known = (await host.files.read(passwordPathOf(host, owner, name)))?.trim()
  if (known) return new Secret(known)
  if (is_begun) throw conflict(`This server has lost the password of ${name}`, 'password_missing')
  const password = new Secret(host.random.text(PASSWORD_LENGTH))
  await keepPassword(host, owner, { name, password })
  return password
}

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
