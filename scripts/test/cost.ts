import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const ACCOUNTS = '/sys/fs/cgroup/cpuacct'
const SAMPLE_MS = 5_000
/** A machine of two cores runs four servers of the lab at about half of that. */
const OVERLOAD_PER_CORE = 10

/**
 * Returns a group of processes whose time the kernel counts, with all that they start, also on
 * hosts of the lab: only on Linux with that controller of cgroup v1, as root.
 */
export function processorGroup(name: string) {
  const folder = join(ACCOUNTS, `hosting-tests-${process.pid}-${name.slice(0, 100)}`)
  try {
    readFileSync(join(ACCOUNTS, 'cpuacct.usage'))
    mkdirSync(folder)
  } catch {
    return undefined
  }
  return {
    add: (pid: number) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    /** Returns the seconds until now, without the group. */
    end: () => {
      const seconds = Number(readFileSync(join(folder, 'cpuacct.usage'), 'utf8')) / 1e9
      try {
        rmdirSync(folder)
      } catch {
        // A process that outlives its test keeps it.
      }
      return seconds
    },
  }
}

/** When the machine was overloaded, in ms since 1970. */
const overloads: number[] = []

/** Looks at the load of the machine from now on; returns what ends that. */
export function watchLoad(): () => void {
  const timer = setInterval(() => {
    const [load = 0] = readFileSync('/proc/loadavg', 'utf8').split(' ').map(Number)
    if (load > OVERLOAD_PER_CORE * availableParallelism()) overloads.push(Date.now())
  }, SAMPLE_MS)
  timer.unref()
  return () => clearInterval(timer)
}

export const wasOverloaded = (since_ms: number) => overloads.some((at_ms) => at_ms >= since_ms)

/** Returns the share of the processors' time without work since the call, from 0 to 1. */
export function idleSince(): () => number {
  const before = times()
  return () => {
    const now = times()
    return (now.idle - before.idle) / (now.all - before.all)
  }
}

/** Returns the times of all processors since the start of the machine, in its own unit. */
function times() {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, ...rest] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const all = [user, nice, system, idle, wait, ...rest.slice(0, 3)].reduce((a, b) => a + b, 0)
  return { idle: idle + wait, all }
}
