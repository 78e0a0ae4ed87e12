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
