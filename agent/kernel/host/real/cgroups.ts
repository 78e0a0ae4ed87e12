import { mkdirSync, readdirSync, readFileSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'

const MOUNT = '/sys/fs/cgroup'
/** The control groups of systemd's transient units: its own slice, and those of the sites. */
const UNITS = `${MOUNT}/system.slice`
const SITES = `${MOUNT}/hosting.slice`
/** CGROUP2_SUPER_MAGIC: statfs(2). */
const CGROUP2 = 0x63677270

/** Returns the tag of a program that must not be interrupted, such as dpkg: Programs.lasting. */
export const lastingTag = (operation: string) => `${operation}.lasting`
/** Returns the unit name of a program outside the sandbox; operation ids contain no dot. */
export const unitPrefix = (tag: string) => `hosting-operation-${tag}.`

/** The control group below which this process may create others. */
let home: string | undefined

function homeOf(): string {
  home ??= `${MOUNT}${/^0::(.*)$/m.exec(undefinedIfThrows(() => readFileSync('/proc/self/cgroup', 'utf8')) ?? '')?.[1] ?? '/..'}`
  return home.replace(/\/$/, '')
}

const folderOf = (tag: string) => `${homeOf()}/hosting-operation-${tag}`

/**
 * Starts a program in the control group of an operation, which its children cannot leave. A process
 * starts in the group of its parent, so this one moves there during `start`, which must be
 * synchronous. Without the right to create groups it just starts: cgroups(7), version 2.
 */
export function startIn<T>(tag: string | undefined, start: () => T): T {
  if (tag === undefined || !enter(tag)) return start()
  try {
    return start()
  } finally {
    goHome()
  }
}

function enter(tag: string): boolean {
  const folder = folderOf(tag)
  if (folder.includes('/../') || !isControlGroup(homeOf())) return false
  const entered = undefinedIfThrows(() => {
    mkdirSync(folder, { recursive: true })
    return join(folder)
  })
  return entered ?? false
}

const goHome = () => undefinedIfThrows(() => join(homeOf()))

function join(folder: string): true {
  writeFileSync(`${folder}/cgroup.procs`, String(process.pid))
  return true
}

/** Returns whether a folder is a control group of version 2, and not of another file system. */
export function isControlGroup(folder: string): boolean {
  return undefinedIfThrows(() => statfsSync(folder).type) === CGROUP2
}

/** Lists the processes in the group of an operation, and in its units of systemd. */
export function groupMembers(tag: string): number[] {
  const slices = (undefinedIfThrows(() => readdirSync(SITES)) ?? []).map(
    (name) => `${SITES}/${name}`,
  )
  const units = [UNITS, ...slices].flatMap((slice) =>
    (undefinedIfThrows(() => readdirSync(slice)) ?? [])
      .filter((name) => name.startsWith(unitPrefix(tag)))
      .map((name) => `${slice}/${name}`),
  )
  return [folderOf(tag), ...units].flatMap(membersOf).filter((pid) => pid !== process.pid)
}

/** Kills all processes at once, if the kernel can (5.14), and this process is not in the group. */
export function killGroup(tag: string): void {
  if (membersOf(folderOf(tag)).includes(process.pid) && !goHome()) return
  undefinedIfThrows(() => writeFileSync(`${folderOf(tag)}/cgroup.kill`, '1'))
}

/** Removes a group without processes. */
export function removeGroup(tag: string): void {
  undefinedIfThrows(() => rmdirSync(folderOf(tag)))
}

function membersOf(folder: string): number[] {
  const own = undefinedIfThrows(() => readFileSync(`${folder}/cgroup.procs`, 'utf8')) ?? ''
  const below = (undefinedIfThrows(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => membersOf(`${folder}/${name}`))
  return [...own.split('\n').filter(Boolean).map(Number), ...below]
}
