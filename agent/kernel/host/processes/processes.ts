import type { Host } from '#agent/kernel/host/ports.ts'
import { mapConcurrently } from './map-concurrently.ts'

/** A system program that runs on this machine, not in a container on it. */
export interface Process {
  pid: number
  /** True also for a package's own user. */
  root: boolean
  /** The command line of ps(1): some programs replace their argv by a title. */
  line: string
}

const MAX_CONCURRENT = 32

/** The first user id of a person: login.defs(5). */
const FIRST_UID = 1000

/**
 * Lists the processes of root and of the users of packages. Other users can give a program any
 * title, and a program in a container has other files: neither shows this machine's configuration.
 */
export async function systemProcesses(host: Pick<Host, 'files'>): Promise<Process[]> {
  const pids = (await host.files.list('/proc').catch(() => []))
    .map(({ name }) => Number(name))
    .filter((pid) => Number.isInteger(pid) && pid > 0)
  const found = await mapConcurrently(pids, MAX_CONCURRENT, (pid) => processOf(host, pid))
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
