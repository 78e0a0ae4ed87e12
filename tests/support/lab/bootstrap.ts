import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from './run.ts'
import { fetchSettings, sourcesOf } from './sources.ts'
import { essentials, type Suite } from './suites.ts'

/** Checks Debian's signatures; keeps its package lists for the next download. */
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

/** Removes what each copy of the image creates at first boot. */
async function forgetIdentity(root: string): Promise<void> {
  const ssh = join(root, 'etc/ssh')
  const keys = (await readdir(ssh)).filter((name) => name.startsWith('ssh_host_'))
  for (const key of keys) await rm(join(ssh, key))
  await writeFile(join(root, 'etc/machine-id'), '')
  await writeFile(join(root, 'etc/hostname'), '')
  await rm(join(root, 'etc/resolv.conf'), { force: true })
}
