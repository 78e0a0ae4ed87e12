import { randomUUID } from 'node:crypto'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Init } from './nspawn.ts'
import { must } from './run.ts'

/** What makes a copy of the base one host: names, identity, keys. `dns` is its name server. */
export async function dress(root: string, name: string, dns: string, init: Init): Promise<void> {
  const put = (path: string, text: string) => writeFile(join(root, path), text)
  await put('etc/hostname', `${name}\n`)
  await put('etc/hosts', `127.0.0.1 localhost\n127.0.1.1 ${name}\n::1 localhost\n`)
  // Where nobody answers, a site's questions must not take five seconds each.
  await put('etc/resolv.conf', `nameserver ${dns}\noptions timeout:1 attempts:1\n`)
  await put('etc/machine-id', `${randomUUID().replaceAll('-', '')}\n`)
  const key = '/etc/ssh/ssh_host_ed25519_key'
  await rm(join(root, key), { force: true })
  await must(['chroot', root, 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key])
  if (init === 'none') await forbidServices(root)
}

/** As in Debian's container images: installing a package starts nothing. */
async function forbidServices(root: string): Promise<void> {
  const path = join(root, 'usr/sbin/policy-rc.d')
  await writeFile(path, '#!/bin/sh\nexit 101\n')
  await chmod(path, 0o755)
}
