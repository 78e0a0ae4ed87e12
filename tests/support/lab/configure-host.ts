import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Init } from './nspawn.ts'
import { must } from './run.ts'

/** Turns a copy of the base into a host: names, identity, keys. `dns` is its name server. */
export async function configureHost(
  root: string,
  name: string,
  dns: string,
  init: Init,
): Promise<void> {
  const put = (path: string, text: string) => writeFile(join(root, path), text)
  await put('etc/hostname', `${name}\n`)
  await put('etc/hosts', `127.0.0.1 localhost\n127.0.1.1 ${name}\n::1 localhost\n`)
  // Without a server, a site's queries must not take five seconds each.
  await put('etc/resolv.conf', `nameserver ${dns}\noptions timeout:1 attempts:1\n`)
  await put('etc/machine-id', `${randomUUID().replaceAll('-', '')}\n`)
  const key = '/etc/ssh/ssh_host_ed25519_key'
  await rm(join(root, key), { force: true })
  await must(['chroot', root, 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key])
  if (init === 'none') await forbidServices(root)
  else await put(`${await folderOfTimer(root)}/never.conf`, NEVER)
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
