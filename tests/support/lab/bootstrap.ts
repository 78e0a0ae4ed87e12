import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from './run.ts'
import { fetchSettings, sourcesOf } from './sources.ts'
import { essentials, type Suite } from './suites.ts'

/** Debian's signatures are checked; its package lists stay for the download that follows. */
export async function bootstrap(suite: Suite, root: string): Promise<void> {
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

/** What a machine image leaves to the first boot of each copy. */
async function forgetIdentity(root: string): Promise<void> {
  const ssh = join(root, 'etc/ssh')
  const keys = (await readdir(ssh)).filter((name) => name.startsWith('ssh_host_'))
  for (const key of keys) await rm(join(ssh, key))
  await writeFile(join(root, 'etc/machine-id'), '')
  await writeFile(join(root, 'etc/hostname'), '')
  await rm(join(root, 'etc/resolv.conf'), { force: true })
}
