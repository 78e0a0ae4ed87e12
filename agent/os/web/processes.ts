import type { Host } from '#agent/host/ports.ts'
import { eachAtOnce } from './at-once.ts'

/** A program of the system that runs on this machine itself, not in a container on it. */
export interface Process {
  pid: number
  /** Or a user that a package has made for its program. */
  root: boolean
  /** As it is shown by ps(1): some programs put a title in the place of their argv. */
  line: string
}

const AT_ONCE = 32

/** login.defs(5): the first user who is a person. */
const FIRST_UID = 1000

/**
 * The processes of root and of the users of packages. Whoever else runs a program can give it any title, and what runs in a
 * container has other files: neither of them says anything of this machine's configuration.
 */
export async function systemProcesses(host: Pick<Host, 'files'>): Promise<Process[]> {
  const pids = (await host.files.list('/proc').catch(() => []))
    .map(({ name }) => Number(name))
    .filter((pid) => Number.isInteger(pid) && pid > 0)
  const found = await eachAtOnce(pids, AT_ONCE, (pid) => processOf(host, pid))
  return found.filter((process) => process !== undefined).sort((one, other) => one.pid - other.pid)
}

async function processOf(
  { files }: Pick<Host, 'files'>,
  pid: number,
): Promise<Process | undefined> {
  const read = (name: string) => files.read(`/proc/${pid}/${name}`).catch(() => undefined)
  const line = ((await read('cmdline')) ?? '').replaceAll('\0', ' ').trim()
  if (line === '') return undefined
  const status = (await read('status')) ?? ''
  const [, uid = ''] = /^Uid:\t(\d+)\t\1\t\1\t\1$/m.exec(status) ?? []
  const isNested = /^NSpid:\t\d+\t\d+/m.test(status)
  if (uid === '' || Number(uid) >= FIRST_UID || isNested) return undefined
  return { pid, line, root: uid === '0' }
}
