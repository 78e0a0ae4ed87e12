import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { prepareBase } from './base.ts'
import { makeGroups } from './cgroups.ts'
import { configureHost } from './configure-host.ts'
import { type Image, mountDisk } from './disk.ts'
import { Host } from './host.ts'
import { nameOf, runFolder, runId } from './identity.ts'
import type { Bind, Init } from './nspawn.ts'
import { DEBS } from './repository.ts'
import type { Suite } from './suites.ts'
import { nextAddress, plugIn, switchUp } from './switch.ts'

export type HostOptions = {
  /** Unique in this process: lower-case letters, digits and hyphens. Also the host name. */
  name: string
  suite: Suite
  init: Init
  /** Files and folders of this machine to mount in the host. */
  binds?: readonly Bind[]
  /** In 10.78.0.0/24; default: the next free one from .10 on. */
  address?: string
  /** The frozen disk of another host of the same suite, instead of the bare base. */
  image?: Image
}

/** A running host on the switch; the first one brings the switch up. Throws if it does not boot. */
export async function startHost(options: HostOptions): Promise<Host> {
  const { name: hostname, suite, init, binds = [] } = options
  if (!/^[a-z0-9-]{1,32}$/.test(hostname)) throw new Error(`not a host name: ${hostname}`)
  const base = await prepareBase(suite)
  const { address: dns } = await switchUp()
  const name = nameOf(runId, hostname)
  const folder = join(runFolder(runId), name)
  const image = options.image ?? { layers: [base.root] }
  const address = options.address ?? nextAddress()
  await mkdir(folder)
  const root = await mountDisk(image, folder)
  await configureHost(root, hostname, dns, init)
  await plugIn(name, address)
  const host = new Host(
    {
      name,
      hostname,
      root,
      init,
      console: join(folder, 'console.log'),
      groups: makeGroups(name),
      binds: [{ from: base.debs, to: DEBS, readonly: true }, ...binds],
    },
    address,
    folder,
    image,
  )
  await host.start()
  return host
}
