import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { prepareBase } from './base.ts'
import { cached } from './cache.ts'
import type { Image } from './disk.ts'
import type { Host } from './host.ts'
import { must } from './run.ts'
import { startHost } from './start-host.ts'
import type { Suite } from './suites.ts'

const OPTIONS = { env: { DEBIAN_FRONTEND: 'noninteractive' } }
const MORE = '/srv/more-debs'
const SOURCE = '/etc/apt/sources.list.d/more.list'
const INSTALL = ['install', '-y', '-q', '--no-install-recommends']

/**
 * A disk of `suite` with these packages installed and no other changes: for tests that do not cover
 * their installation, which takes half a minute. Made once on a machine. `more` is a folder of
 * `morePackages`, for packages missing in the source of all hosts.
 */
export async function preparePackaged(
  suite: Suite,
  packages: readonly string[],
  more?: string,
): Promise<Image> {
  const base = await prepareBase(suite)
  const recipe = JSON.stringify([basename(join(base.root, '..')), packages])
  const digest = createHash('sha256').update(recipe).digest('hex').slice(0, 12)
  const folder = await cached(`${suite}-packaged-${digest}`, async (draft) => {
    // In a container an installation starts nothing.
    const host = await startHost({
      ...{ name: `packaged-${suite}`, suite, init: 'none' },
      ...(more === undefined ? {} : { binds: [{ from: more, to: MORE, readonly: true }] }),
    })
    try {
      if (more !== undefined) await host.put(SOURCE, `deb [trusted=yes] file:${MORE} ./\n`)
      await install(host, packages)
      await host.must(['rm', '-f', SOURCE])
      await host.stop()
      await must(['cp', '--archive', '--one-file-system', host.root, join(draft, 'root')])
    } finally {
      await host.remove()
    }
  })
  return { layers: [join(folder, 'root')] }
}

async function install(host: Host, packages: readonly string[]): Promise<void> {
  await host.must(['apt-get', 'update', '-q'], OPTIONS)
  await host.must(['apt-get', ...INSTALL, ...packages], OPTIONS)
  await host.must(['rm', '/usr/sbin/policy-rc.d'])
}
