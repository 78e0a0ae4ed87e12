import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { canMakeGroups } from './cgroups.ts'

const APART = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--fork']
const OVERLAY = ['mount', '-t', 'overlay', '-o', 'lowerdir=/usr:/etc', 'overlay', '/mnt']
const MOUNT = ['mount', '-t', 'tmpfs', 'tmpfs', '/mnt']

let found: { reason: string | undefined } | undefined

/** Why the lab cannot run on this machine, or undefined if it can. Tried once. */
export function available(): string | undefined {
  found ??= { reason: obstacle() }
  return found.reason
}

function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux'
  if (process.getuid?.() !== 0) return 'needs root'
  if (!existsSync('/etc/debian_version') || !existsSync('/usr/bin/apt-get')) return 'needs Debian'
  if (spawnSync('/usr/bin/unshare', [...APART, ...MOUNT]).status !== 0) {
    return 'needs namespaces with mounts'
  }
  if (spawnSync('/usr/bin/unshare', [...APART, ...OVERLAY]).status !== 0) {
    return 'needs overlay file systems'
  }
  if (!canMakeGroups()) return 'needs control groups'
  return undefined
}
