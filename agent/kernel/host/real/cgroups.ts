import { mkdirSync, readdirSync, readFileSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs'
import { attempt } from '#agent/kernel/host/attempt.ts'

const MOUNT = '/sys/fs/cgroup'
/** The groups of systemd's transient units: its own slice, and those of the sites. */
const UNITS = `${MOUNT}/system.slice`
const SITES = `${MOUNT}/hosting.slice`
/** CGROUP2_SUPER_MAGIC: statfs(2). */
const CGROUP2 = 0x63677270

/** For a program that must not be interrupted, such as dpkg: Programs.lasting. */
export const lastingTag = (operation: string) => `${operation}.lasting`
/** The unit name of a program outside the sandbox; operation ids contain no dot. */
export const unitPrefix = (tag: string) => `hosting-operation-${tag}.`

/** The group below which this process may create others. */
let home: string | undefined

function homeOf(): string {
  home ??= `${MOUNT}${/^0::(.*)$/m.exec(attempt(() => readFileSync('/proc/self/cgroup', 'utf8')) ?? '')?.[1] ?? '/..'}`
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
  const entered = attempt(() => {
    mkdirSync(folder, { recursive: true })
    return join(folder)
  })
  return entered ?? false
}

const goHome = () => attempt(() => join(homeOf()))

function join(folder: string): true {
  writeFileSync(`${folder}/cgroup.procs`, String(process.pid))
  return true
}

/**
 * Whether a folder is a control group of version 2, which alone keeps and kills its processes;
 * another file system only looks alike.
 */
export function isControlGroup(folder: string): boolean {
  return attempt(() => statfsSync(folder).type) === CGROUP2
}

/** The processes in the group of an operation, and in its units of systemd. */
export function groupMembers(tag: string): number[] {
  const slices = (attempt(() => readdirSync(SITES)) ?? []).map((name) => `${SITES}/${name}`)
  const units = [UNITS, ...slices].flatMap((slice) =>
    (attempt(() => readdirSync(slice)) ?? [])
      .filter((name) => name.startsWith(unitPrefix(tag)))
      .map((name) => `${slice}/${name}`),
  )
  return [folderOf(tag), ...units].flatMap(membersOf).filter((pid) => pid !== process.pid)
}

/** All at once, if the kernel can (5.14); not while this process is in the group. */
export function killGroup(tag: string): void {
  if (membersOf(folderOf(tag)).includes(process.pid) && !goHome()) return
  attempt(() => writeFileSync(`${folderOf(tag)}/cgroup.kill`, '1'))
}

/** A group that still has processes stays. */
export function removeGroup(tag: string): void {
  attempt(() => rmdirSync(folderOf(tag)))
}

function membersOf(folder: string): number[] {
  const own = attempt(() => readFileSync(`${folder}/cgroup.procs`, 'utf8')) ?? ''
  const below = (attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => membersOf(`${folder}/${name}`))
  return [...own.split('\n').filter(Boolean).map(Number), ...below]
}
