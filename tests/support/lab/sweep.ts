import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree } from './cache.ts'
import { findGroups, membersOf, removeGroups } from './cgroups.ts'
import { signalPid } from './child.ts'
import { belongs, runFolder } from './identity.ts'
import { run } from './run.ts'
import { poll, polled } from './wait.ts'

const PROPAGATE = '/run/systemd/nspawn/propagate'

/**
 * Removes everything named after `owner` (a run, or one thing of it): the processes inside its
 * namespaces and groups, then mounts, namespaces and groups. Throws if something remains; two
 * sweeps of one run do not conflict.
 */
export async function sweep(owner: string): Promise<void> {
  const awaited = `the processes of ${owner} have ended`
  await poll(async () => (await kill(owner)) === 0, { timeout_ms: 60_000, awaited })
  for (const path of mountsOf(owner)) await run(['umount', '--lazy', path])
  for (const name of namespacesOf(owner)) await run(['ip', 'netns', 'del', name])
  for (const path of traces(owner)) await run(['rmdir', path])
  const empty = await polled(() => removeGroups(owner))
  const left = [...mountsOf(owner), ...namespacesOf(owner)]
  if (!empty || left.length > 0) throw new Error(`${owner} would not go: ${left.join(' ')}`)
}

/** A whole run, with its folder. */
export async function sweepRun(id: string): Promise<void> {
  await sweep(id)
  await removeTree(runFolder(id))
}

const owned = (folder: string, owner: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => belongs(name, owner)) : []

const namespacesOf = (owner: string) => owned('/run/netns', owner)

/** Empty folders that systemd-nspawn leaves behind where systemd does not run. */
const traces = (owner: string) => owned(PROPAGATE, owner).map((name) => join(PROPAGATE, name))

/** The number of processes to kill. */
async function kill(owner: string): Promise<number> {
  const lists = namespacesOf(owner).map((name) => run(['ip', 'netns', 'pids', name]))
  const inside = (await Promise.all(lists)).flatMap(({ stdout }) => stdout.split('\n'))
  const pids = new Set([...inside.filter(Boolean).map(Number), ...membersOf(findGroups(owner))])
  for (const pid of pids) signalPid(pid, 'SIGKILL')
  return pids.size
}

/** Inner mounts first; the namespaces are mounts too, but `ip` removes those. */
const mountsOf = (owner: string) =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => !path.startsWith('/run/netns/'))
    .filter((path) => path.split('/').some((part) => belongs(part, owner)))
    .reverse()
