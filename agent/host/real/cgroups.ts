import { mkdirSync, readdirSync, readFileSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs'

const MOUNT = '/sys/fs/cgroup'
/** Where systemd has the groups of transient units: its own slice, and those of the sites. */
const UNITS = `${MOUNT}/system.slice`
const SITES = `${MOUNT}/hosting.slice`
/** CGROUP2_SUPER_MAGIC: statfs(2). */
const CGROUP2 = 0x63677270

/** Of a program that must come to its end by itself, such as dpkg: Programs.lasting. */
export const lastingTag = (operation: string) => `${operation}.lasting`
/** systemd's name for a program outside of the sandbox; no operation's id has a dot in it. */
export const unitPrefix = (tag: string) => `hosting-operation-${tag}.`

/** Where this process may make groups: below its own one. */
let home: string | undefined

function homeOf(): string {
  home ??= `${MOUNT}${/^0::(.*)$/m.exec(attempt(() => readFileSync('/proc/self/cgroup', 'utf8')) ?? '')?.[1] ?? '/..'}`
  return home.replace(/\/$/, '')
}

const folderOf = (tag: string) => `${homeOf()}/hosting-operation-${tag}`

/**
 * Starts a program in the control group of an operation: nothing that it starts gets out of there. A
 * process begins where its parent is, so this one goes there for as long as `start` takes, which must
 * be synchronous. Where this process cannot make groups it just starts: cgroups(7), version 2.
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

/** Of version 2, which alone holds what is put in it and kills it; another file system only looks so. */
export function isControlGroup(folder: string): boolean {
  return attempt(() => statfsSync(folder).type) === CGROUP2
}

/** The processes in the group of an operation, and in the units that systemd has of it. */
export function groupMembers(tag: string): number[] {
  const slices = (attempt(() => readdirSync(SITES)) ?? []).map((name) => `${SITES}/${name}`)
  const units = [UNITS, ...slices].flatMap((slice) =>
    (attempt(() => readdirSync(slice)) ?? [])
      .filter((name) => name.startsWith(unitPrefix(tag)))
      .map((name) => `${slice}/${name}`),
  )
  return [folderOf(tag), ...units].flatMap(membersOf).filter((pid) => pid !== process.pid)
}

/** All at once, where the kernel can (5.14); not while this process has not found its way back. */
export function killGroup(tag: string): void {
  if (membersOf(folderOf(tag)).includes(process.pid) && !goHome()) return
  attempt(() => writeFileSync(`${folderOf(tag)}/cgroup.kill`, '1'))
}

/** A group that still has processes stays, and they in it. */
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

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
