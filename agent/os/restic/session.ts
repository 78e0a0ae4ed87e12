import type { Host } from '#agent/host/ports.ts'
import { type Change, declared, inOrder, removedTree } from '#agent/os/effects/change.ts'
import { create, remove } from '#agent/os/effects/effects.ts'
import { Secret } from '#shared/secret.ts'
import { filesOf, type Repository } from './repository.ts'
import type { Opened } from './run.ts'

const SECRET = { mode: 0o600 }
const PRIVATE = { mode: 0o700 }
const PASSWORD_LENGTH = 48

const folderOf = ({ settings }: Host, name = '') => `${settings.state_dir}/backups/${name}`
const openFolderOf = (host: Host, name: string) => `${folderOf(host, name)}/open`
const cacheOf = ({ settings }: Host, name: string) => `${settings.state_dir}/cache/restic/${name}`
const passwordPathOf = (host: Host, name: string) => `${folderOf(host, name)}/password`

/**
 * The password of the repositories of a site: the given one, that of this server, or a new one. The
 * server keeps the first that it had.
 */
export async function passwordOf(host: Host, name: string, given?: Secret): Promise<Secret> {
  const path = passwordPathOf(host, name)
  const known = (await host.files.read(path))?.trim()
  if (known) return given ?? new Secret(known)
  const password = given ?? new Secret(host.random.text(PASSWORD_LENGTH))
  await makeFolders(host, name)
  await host.files.write(path, `${password.reveal()}\n`, SECRET)
  return password
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

/** The password, and what restic has in its cache: the dashboard and the kit open the repository. */
export const forgetRepository = (host: Host, name: string): Change =>
  inOrder(
    removedTree(host, 'folder', folderOf(host, name)),
    removedTree(host, 'folder', cacheOf(host, name)),
  )

async function makeFolders(host: Host, name: string): Promise<void> {
  const own = folderOf(host, name)
  for (const path of [folderOf(host).slice(0, -1), own, cacheOf(host, name)]) {
    await host.files.mkdir(path, PRIVATE)
  }
}
