import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Holds an advisory lock on `file` while `work` runs; the kernel releases it at a crash. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const holder = spawn('/usr/bin/flock', [file, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  holder.stdin.write('locked?\n')
  await once(holder.stdout, 'data')
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await once(holder, 'exit')
  }
}
