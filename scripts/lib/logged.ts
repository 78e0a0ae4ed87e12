import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'

export type LoggedRun = {
  argv: readonly string[]
  cwd: string
  log: string
  /** These variables are added to the environment of this process. */
  env?: Record<string, string>
  timeout_ms: number
  signal?: AbortSignal
  /** Called with the process id, as soon as it is known. */
  started?: (pid: number) => void
}

/**
 * Runs a program with all its output in the file `log`. Returns its exit status, or the reason for
 * its absence. At the time limit, or on `signal`, its whole process group is killed.
 */
export async function runLogged(options: LoggedRun): Promise<number | string> {
  const { argv, cwd, env, timeout_ms, signal } = options
  await using log = await open(options.log, 'a')
  const [file = '', ...args] = argv
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: '1' },
    stdio: ['ignore', log.fd, log.fd],
    detached: true,
  })
  if (child.pid) options.started?.(child.pid)
  let limit = ''
  const stop = (reason: string) => {
    limit ||= reason
    killGroup(child.pid)
  }
  const timer = setTimeout(() => stop(`no end after ${timeout_ms / 1000} s`), timeout_ms)
  const aborted = () => stop('interrupted')
  signal?.addEventListener('abort', aborted)
  try {
    const [status, killed] = await once(child, 'exit')
    return limit || (status ?? `killed by ${killed}`)
  } catch (error) {
    return `${file} could not be started: ${String(error)}`
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', aborted)
  }
}

function killGroup(pid: number | undefined): void {
  if (!pid) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
