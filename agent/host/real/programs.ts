import { readdir, readFile } from 'node:fs/promises'
import process from 'node:process'
import type { Programs } from '../ports.ts'

/** Every program of an operation has it in its environment, and hands it on to what it starts. */
const COOKIE = 'HOSTING_OPERATION'

/** The programs that this process has started and that have not ended, by operation. */
const groups = new Map<string, Set<number>>()

/** The mark of an operation, for the environment of its programs. */
export function cookieOf(operation: string | undefined): Record<string, string> {
  return operation === undefined ? {} : { [COOKIE]: operation }
}

/** Remembers the process group of a program until the returned function is called. */
export function remember(operation: string | undefined, pid: number | undefined): () => void {
  if (operation === undefined || pid === undefined) return () => undefined
  const known = groups.get(operation) ?? new Set()
  groups.set(operation, known.add(pid))
  return () => {
    known.delete(pid)
    if (known.size === 0 && groups.get(operation) === known) groups.delete(operation)
  }
}

/** By process group, and by the mark for what has left its group. */
export const programs: Programs = {
  async signal(operation, name) {
    for (const pid of groups.get(operation) ?? []) send(-pid, name)
    for (const pid of await marked(operation)) send(pid, name)
  },

  async count(operation) {
    return (groups.get(operation)?.size ?? 0) + (await marked(operation)).length
  },

  forget: async () => undefined,
}

async function marked(operation: string): Promise<number[]> {
  const mark = `\0${COOKIE}=${operation}\0`
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    names.map(async (name) => {
      // What has ended meanwhile, and what another user runs, has nothing to show.
      const text = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '')
      return `\0${text}`.includes(mark) ? [Number(name)] : []
    }),
  )
  return found.flat().filter((pid) => pid !== process.pid)
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself in this moment.
  }
}
