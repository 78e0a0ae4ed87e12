import { createHash } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cached } from './cache.ts'
import { needPrograms } from './prerequisites.ts'
import { download } from './repository.ts'
import { must } from './run.ts'
import { fetchSettings, sourcesOf } from './sources.ts'
import { essentials, offered, type Suite, suites } from './suites.ts'

/** Checks Debian's signatures; keeps its package lists for the next download. */
async function bootstrap(suite: Suite, root: string): Promise<void> {
  const settings = ['Acquire::Languages "none";', ...(await fetchSettings())]
  await must(
    [
      'mmdebstrap',
      '--quiet',
      '--variant=minbase',
      '--skip=cleanup/apt/lists',
      '--dpkgopt=force-unsafe-io',
      ...settings.map((setting) => `--aptopt=${setting}`),
      `--include=${essentials.join(',')}`,
      suite,
      root,
      '-',
    ],
    { input: await sourcesOf(suite), env: { DEBIAN_FRONTEND: 'noninteractive' } },
  )
  await forgetIdentity(root)
}

/** Removes what each copy of the image creates at first boot. */
async function forgetIdentity(root: string): Promise<void> {
  const ssh = join(root, 'etc/ssh')
  const keys = (await readdir(ssh)).filter((name) => name.startsWith('ssh_host_'))
  for (const key of keys) await rm(join(ssh, key))
  await writeFile(join(root, 'etc/machine-id'), '')
  await writeFile(join(root, 'etc/hostname'), '')
  await rm(join(root, 'etc/resolv.conf'), { force: true })
}

/** Folders that hosts share and never write to; `php` is the version the suite ships. */
export type Base = { suite: Suite; root: string; debs: string; php: string }

const REVISION = '1'

/**
 * A bootable minimal root filesystem of `suite` and its packages as a local source. About 25 s the
 * first time on a machine, then nothing. Throws the output of the failed tool.
 */
export async function prepareBase(suite: Suite): Promise<Base> {
  const folder = await cached(`${suite}-${version(suite)}`, async (draft) => {
    await needPrograms({
      mmdebstrap: 'mmdebstrap',
      'apt-ftparchive': 'apt-utils',
      '/usr/share/keyrings/debian-archive-keyring.gpg': 'debian-archive-keyring',
    })
    await bootstrap(suite, join(draft, 'root'))
    await download(join(draft, 'root'), join(draft, 'debs'), offered(suite))
  })
  return {
    suite,
    root: join(folder, 'root'),
    debs: join(folder, 'debs'),
    php: suites[suite].php,
  }
}

/** Another list of packages is another base. */
function version(suite: Suite): string {
  const recipe = JSON.stringify([REVISION, essentials, offered(suite)])
  return createHash('sha256').update(recipe).digest('hex').slice(0, 12)
}
