import { constants } from 'node:os'

/** As a shell counts: a signal is 128 + its number. */
export const statusOf = (status: number | null, signal: NodeJS.Signals | null) =>
  status ?? 128 + (signal ? constants.signals[signal] : 0)

/** Signals a process group that was started detached, if it still runs. */
export const signalGroup = (pid: number | undefined, signal: NodeJS.Signals) =>
  pid ? signalPid(-pid, signal) : undefined

/** Whether any process of the group exists; an ended one that was not waited for counts. */
export function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0)
    return true
  } catch {
    return false
  }
}

export function signalPid(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended in the meantime.
  }
}
