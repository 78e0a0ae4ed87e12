import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder } from './lib/cache.ts'
import { digestOf } from './lib/digest.ts'
import { fail } from './lib/fail.ts'
import { fetchArchive, type PinnedPackage } from './lib/npm-archive.ts'
import { must } from './lib/run.ts'

/** Contains WordPress and the wp-cli of its release day, both as their projects published them. */
const STUDIO: PinnedPackage = {
  name: 'wp-studio',
  version: '1.22.0',
  integrity:
    'sha512-boMtahkhgWDKKyNTBA1uTK5ghnAmxXhDY6KeQCO9FmcI3/o+YOSq8JwYW5ZYnxHCxH14Jf/mD6CJTBvTWl2Ytw==',
}
const LATEST = 'package/dist/cli/wp-files/latest'
const PHAR = 'package/dist/cli/wp-files/wp-cli/wp-cli.phar'

/**
 * Returns the files of downloads.wordpress.org and wp-cli's releases, in a folder of the cache, for
 * machines that reach only the npm registry: `latest.tar.gz`, `wordpress-<version>.tar.gz`, a
 * `.sha1` beside each, `wp-cli.phar` and `wp-cli.phar.sha512`. Created once; returns the folder.
 */
export function wordpressMirror(): Promise<string> {
  return cachedFolder('wordpress-mirror', `${STUDIO.name}@${STUDIO.version} 1`, async (draft) => {
    const work = join(draft, '.work')
    await mkdir(work)
    const archive = await fetchArchive(STUDIO, work)
    await must(['tar', '-xzf', archive, '-C', work, `${LATEST}/wordpress`, PHAR])
    await addCore(join(work, LATEST), draft)
    await addWpCli(join(work, PHAR), draft)
    await rm(work, { recursive: true })
  })
}

async function addCore(folder: string, draft: string): Promise<void> {
  const source = await readFile(join(folder, 'wordpress/wp-includes/version.php'), 'utf8')
  const version = source.match(/^\$wp_version = '([\d.]+)';$/m)?.[1]
  if (version === undefined) throw new Error(`${STUDIO.name} holds no WordPress version`)
  const archive = join(draft, `wordpress-${version}.tar.gz`)
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
  await must(['tar', '-czf', archive, ...owner, '-C', folder, 'wordpress'])
  await copyFile(archive, join(draft, 'latest.tar.gz'))
  const sha1 = await digestOf(archive, 'sha1')
  for (const name of [archive, join(draft, 'latest.tar.gz')]) await writeFile(`${name}.sha1`, sha1)
}

async function addWpCli(phar: string, draft: string): Promise<void> {
  const target = join(draft, 'wp-cli.phar')
  await rename(phar, target)
  await writeFile(`${target}.sha512`, await digestOf(target, 'sha512'))
}

if (import.meta.main) {
  await wordpressMirror().then((folder) => console.log(folder), fail)
}
