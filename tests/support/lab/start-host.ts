import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { prepareBase } from './base.ts'
import { makeGroups } from './cgroups.ts'
import { type Image, mountDisk } from './disk.ts'
import { Host } from './host.ts'
import { nameOf, runFolder, runId } from './identity.ts'
import type { Bind, Init } from './nspawn.ts'
import { DEBS } from './repository.ts'
import { must } from './run.ts'
import type { Suite } from './suites.ts'
import { nextAddress, plugIn, switchUp } from './switch.ts'

/** Turns a copy of the base into a host: names, identity, keys. `dns` is its name server. */
async function configureHost(root: string, name: string, dns: string, init: Init): Promise<void> {
  const put = (path: string, text: string) => writeFile(join(root, path), text)
  await put('etc/hostname', `${name}\n`)
  await put('etc/hosts', `127.0.0.1 localhost\n127.0.1.1 ${name}\n::1 localhost\n`)
  // Without a server, a site's queries must not take five seconds each.
  await put('etc/resolv.conf', `nameserver ${dns}\noptions timeout:1 attempts:1\n`)
  await put('etc/machine-id', `${randomUUID().replaceAll('-', '')}\n`)
  const key = '/etc/ssh/ssh_host_ed25519_key'
  await rm(join(root, key), { force: true })
  await must(['chroot', root, 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key])
  if (init === 'none') return forbidServices(root)
  await put(`${await folderOfTimer(root)}/never.conf`, NEVER)
  await maskGenerators(root)
}

const GENERATORS = 'systemd/system-generators'
const USED_GENERATORS = ['systemd-fstab-generator', 'systemd-sysv-generator']

/**
 * Masks the generators that find nothing on these hosts (systemd.generator(7)): systemd runs all at
 * each `daemon-reload`, which takes them longer than systemd itself.
 */
async function maskGenerators(root: string): Promise<void> {
  const all = await readdir(join(root, 'usr/lib', GENERATORS))
  const idle = all.filter((name) => !USED_GENERATORS.includes(name))
  await mkdir(join(root, 'etc', GENERATORS), { recursive: true })
  for (const name of idle) {
    const path = join(root, 'etc', GENERATORS, name)
    // A prepared disk has it.
    await rm(path, { force: true })
    await symlink('/dev/null', path)
  }
}

/**
 * Debian starts PHP at 9 and 39 minutes past each hour. A test that replaces PHP by a hanging
 * program must not meet that call instead of the agent's. A masked timer would fail its package.
 */
const NEVER = '[Timer]\nOnCalendar=\nOnActiveSec=3650d\n'

async function folderOfTimer(root: string): Promise<string> {
  const folder = 'etc/systemd/system/phpsessionclean.timer.d'
  await mkdir(join(root, folder), { recursive: true })
  return folder
}

/** As in Debian's container images: no installation starts a service. */
async function forbidServices(root: string): Promise<void> {
  const path = join(root, 'usr/sbin/policy-rc.d')
  await writeFile(path, '#!/bin/sh\nexit 101\n')
  await chmod(path, 0o755)
}

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
