import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cacheFolder } from './cache.ts'
import { withLock } from './lock.ts'
import { must } from './run.ts'
import { polled } from './wait.ts'

const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin']

/** Installs missing programs: program or absolute path → package. Throws apt's output. */
export async function needPrograms(packages: Record<string, string>): Promise<void> {
  if (missing(packages).length === 0) return
  await withLock(join(await cacheFolder(), 'apt.lock'), async () => {
    const wanted = missing(packages)
    if (wanted.length > 0) await install(wanted)
  })
}

const missing = (packages: Record<string, string>) =>
  Object.entries(packages)
    .filter(([program]) => !FOLDERS.some((folder) => existsSync(resolve(folder, program))))
    .map(([, name]) => name)

/** Other users of apt hold its locks for moments: `update` has no option to wait. */
async function install(packages: string[]): Promise<void> {
  const apt = ['apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300']
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  let failure: unknown
  const done = await polled(
    async () => {
      try {
        await must([...apt, 'update'])
        await must([...apt, 'install', '-y', '--no-install-recommends', ...packages], { env })
        return true
      } catch (error) {
        failure = error
        return false
      }
    },
    { every_ms: 3000, timeout_ms: 180_000 },
  )
  if (!done) throw failure
}
