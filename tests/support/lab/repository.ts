import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from './cache.ts'
import { must } from './run.ts'

/** The package folder of every host. */
export const DEBS = '/srv/debs'

/**
 * Downloads `packages` and dependencies missing in `root` to `debs`, indexes them, makes them the
 * only package source of `root`.
 */
export async function download(root: string, debs: string, packages: string[]): Promise<void> {
  await mkdir(join(debs, 'partial'), { recursive: true })
  const target = [
    ['Dir', root],
    ['Dir::State::status', join(root, 'var/lib/dpkg/status')],
    ['Dir::Cache::archives', debs],
    ['APT::Sandbox::User', 'root'],
  ].flatMap(([key, value]) => ['-o', `${key}=${value}`])
  const action = ['install', '-y', '--download-only', '--no-install-recommends']
  await must(['apt-get', '-q', ...target, ...action, ...packages])
  await index(debs)
  await useOnly(root)
}

export async function index(debs: string): Promise<void> {
  await removeTree(join(debs, 'partial'))
  await rm(join(debs, 'lock'), { force: true })
  for (const name of await readdir(debs)) await chmod(join(debs, name), 0o644)
  const packages = await must(['apt-ftparchive', 'packages', '.'], { cwd: debs })
  await writeFile(join(debs, 'Packages'), packages)
}

async function useOnly(root: string): Promise<void> {
  const apt = join(root, 'etc/apt')
  await removeTree(join(root, 'var/lib/apt/lists'))
  await mkdir(join(root, 'var/lib/apt/lists/partial'), { recursive: true })
  await mkdir(join(root, DEBS), { recursive: true })
  await removeTree(join(apt, 'sources.list.d'))
  await mkdir(join(apt, 'sources.list.d'))
  await rm(join(apt, 'apt.conf.d/99mmdebstrap'), { force: true })
  await writeFile(join(apt, 'sources.list'), `deb [trusted=yes] file:${DEBS} ./\n`)
}
