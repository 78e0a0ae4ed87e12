import type { Output } from '#agent/kernel/host/ports.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { openSockets } from '#agent/kernel/host/simulated/mail-queue.ts'
import { link } from '#agent/kernel/host/simulated/nodes.ts'
import { done, failed } from './output.ts'

const UNITS = '/etc/systemd/system'
const FIRST_PID = 20
/** Matches units of the agent, which have files here; Debian's do not. */
const OWN_UNIT = /^hosting-/

/** Starts and stops what the unit files of the machine describe. */
export function systemctl({ disk }: { disk: Disk }, argv: readonly string[]): Output {
  const [, verb = '', ...words] = argv
  const units = words.filter((word) => !word.startsWith('-'))
  if (verb === 'stop') for (const unit of units) stopUnit(disk, unit)
  if (verb !== 'start' && verb !== 'restart') return done()
  const missing = units.find((unit) => OWN_UNIT.test(unit) && !disk.find(`${UNITS}/${unit}`))
  if (missing !== undefined)
    return failed(`Failed to ${verb} ${missing}: Unit ${missing} not found.`, 5)
  for (const unit of units) startUnit(disk, unit)
  return done()
}

/** Gives a service a process and, if it has one, its socket. */
export function startUnit(disk: Disk, unit: string): void {
  const [, program] = /^ExecStart=\S*\/(\S+)/m.exec(textOf(disk, unit)) ?? []
  openAll(disk, unit.replace(/\.service$/, '.socket'))
  const ends = textOf(disk, unit).includes('\nType=oneshot\n')
  if (program !== undefined && unit.endsWith('.service') && !ends)
    disk.putText(processesOf(disk, unit), `${pidOf(disk, program)}\n`)
  openSockets(disk, unit)
}

function stopUnit(disk: Disk, unit: string): void {
  if (unit.endsWith('.socket')) for (const path of pathsOf(disk, unit)) disk.drop(path)
  if (unit.endsWith('.service')) disk.drop(processesOf(disk, unit))
}

/** Returns the kernel's list of the processes of a service; systemd.slice(5) nests by name. */
export function processesOf(disk: Disk, unit: string): string {
  const [, slice = 'system.slice'] = /^Slice=(.+)$/m.exec(textOf(disk, unit)) ?? []
  const names = slice.replace(/\.slice$/, '').split('-')
  const slices = names.map((_, at) => `${names.slice(0, at + 1).join('-')}.slice`)
  return `/sys/fs/cgroup/${slices.join('/')}/${unit}/cgroup.procs`
}

const textOf = (disk: Disk, unit: string) => disk.text(`${UNITS}/${unit}`) ?? ''

/** Returns the socket, and the links to it. */
const pathsOf = (disk: Disk, unit: string): string[] =>
  [...textOf(disk, unit).matchAll(/^(?:ListenStream|ListenDatagram|Symlinks)=(\/.+)$/gm)].map(
    ([, path = '']) => path,
  )

function openAll(disk: Disk, unit: string): void {
  const [socket = '', ...links] = pathsOf(disk, unit)
  if (socket !== '') disk.putText(socket, '')
  for (const path of links) disk.put(path, link(socket))
}

/** Returns the process that stands for all services of a program. */
function pidOf(disk: Disk, program: string): number {
  const known = disk.names('/proc').find((pid) => nameOf(disk, pid) === program)
  if (known !== undefined) return Number(known)
  let pid = FIRST_PID
  while (disk.find(`/proc/${pid}`)) pid += 1
  disk.putText(`/proc/${pid}/status`, statusOf(program))
  return pid
}

const nameOf = (disk: Disk, pid: string) =>
  /^Name:\t(.*)$/m.exec(disk.text(`/proc/${pid}/status`) ?? '')?.[1]

/** proc(5), /proc/pid/status. */
export const statusOf = (name: string) => `Name:\t${name}\nUmask:\t0022\nState:\tS (sleeping)\n`
