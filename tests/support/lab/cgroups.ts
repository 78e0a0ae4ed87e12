import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { belongs, nameOf, runId } from './identity.ts'

const WANTED = /^cgroup2$|\b(name=systemd|memory|pids|cpu)\b/

/** The mounted hierarchies with groups of a host: one on cgroup v2, several on v1. */
function hierarchies(): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8').trim().split('\n')
  return mounts.flatMap((line) => {
    const [, path = '', type = '', options = ''] = line.split(' ')
    return type.startsWith('cgroup') && WANTED.test(type === 'cgroup' ? options : type)
      ? [path]
      : []
  })
}

/** Own groups for one host: without them all hosts would share one. */
export function makeGroups(name: string): string[] {
  const groups = hierarchies().map((path) => join(path, name))
  for (const group of groups) mkdirSync(group, { recursive: true })
  return groups
}

/** Whether this machine allows new groups. */
export function canMakeGroups(): boolean {
  const probe = nameOf(runId, 'probe')
  const made = attempt(() => makeGroups(probe)) ?? []
  removeGroups(probe)
  return made.length > 0
}

/** All groups of a run or of one of its hosts, deepest last. */
export function findGroups(owner: string): string[] {
  const tops = hierarchies().flatMap((path) =>
    readdirSync(path)
      .filter((name) => belongs(name, owner))
      .map((name) => join(path, name)),
  )
  return tops.flatMap((top) => [top, ...below(top)])
}

const below = (group: string): string[] =>
  (attempt(() => readdirSync(group, { withFileTypes: true })) ?? [])
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [join(group, name), ...below(join(group, name))])

/** The processes of the groups, from outside. */
export const membersOf = (groups: string[]): number[] =>
  groups.flatMap((group) => {
    const pids = attempt(() => readFileSync(join(group, 'cgroup.procs'), 'utf8')) ?? ''
    return pids.split('\n').filter(Boolean).map(Number)
  })

/** Whether all groups are removed: one with processes waits for the next attempt. */
export function removeGroups(owner: string): boolean {
  for (const group of findGroups(owner).reverse()) attempt(() => rmdirSync(group))
  return findGroups(owner).length === 0
}

/** A group may stay busy briefly, or be removed already. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
