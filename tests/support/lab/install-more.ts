import { cp } from 'node:fs/promises'
import type { Host } from './host.ts'
import { morePackages } from './more-packages.ts'
import type { Suite } from './suites.ts'

/** From their files: the source of the lab's hosts does not have them. */
export async function installMore(
  host: Host,
  suite: Suite,
  packages: readonly string[],
): Promise<void> {
  await cp(await morePackages(suite, packages), `${host.root}/root/debs`, { recursive: true })
  await host.must(['bash', '-c', 'dpkg --install /root/debs/*.deb'])
}

const DEBS = '/srv/more-debs'

/** For the package manager of the host: what is tested installs them. */
export async function offerMore(
  host: Host,
  suite: Suite,
  packages: readonly string[],
): Promise<void> {
  await cp(await morePackages(suite, packages), `${host.root}${DEBS}`, { recursive: true })
  const source = `deb [trusted=yes] file:${DEBS} ./\n`
  await host.put('/etc/apt/sources.list.d/more.list', source)
  await host.must(['apt-get', 'update', '-q'])
}
