import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const NAMESPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--fork']

/** Why the lab cannot run on this machine, or undefined when it can. */
export function available(): string | undefined {
  if (process.platform !== 'linux') return 'the lab needs Linux'
  if (process.getuid?.() !== 0) return 'the lab needs root'
  if (!existsSync('/etc/debian_version') || !has('apt-get')) return 'the lab needs Debian'
  if (spawnSync('/usr/bin/unshare', [...NAMESPACES, 'true']).status !== 0) {
    return 'the lab needs namespaces, which this machine does not allow'
  }
  if (!has('overlay', '/proc/filesystems')) return 'the lab needs overlay file systems'
  return undefined
}

const has = (word: string, file?: string) =>
  file
    ? readFileSync(file, 'utf8').includes(word)
    : (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, word)))
