import { posix } from 'node:path'
import type { Disk } from './disk.ts'

const UNIT = 'hosting-agent-mail.service'
const SOCKETS = '/var/lib/hosting-mail/sockets'
const PROCESSES = `/sys/fs/cgroup/system.slice/${UNIT}/cgroup.procs`

/** Opens a socket in each folder that the mail queue finds at its start. */
export function openSockets(disk: Disk, started: string): void {
  if (started === UNIT) for (const name of disk.names(SOCKETS)) open(disk, `${SOCKETS}/${name}`)
}

/** Opens a socket in a folder that was created while the mail queue runs. */
export function openSocket(disk: Disk, created: string): void {
  if (posix.dirname(created) === SOCKETS && disk.find(PROCESSES)) open(disk, created)
}

const open = (disk: Disk, folder: string) => disk.putText(`${folder}/mail.sock`, '')
