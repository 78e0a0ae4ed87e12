import { join } from 'node:path'
import { runLogged } from '../lib/logged.ts'
import type { RunOptions } from './job.ts'

/** Each saves a minute on a new machine and costs nothing on a prepared one. */
const PREPARED = ['scripts/wordpress-mirror.ts', 'scripts/lab-bases.ts']

/**
 * Prepares what the system tests would otherwise create themselves, one after the other. A failure
 * is only logged: the test that needs it fails again and reports the reason.
 */
export async function prepareLab({ root, folder, signal }: RunOptions): Promise<void> {
  if (process.getuid?.() !== 0) return
  for (const script of PREPARED) {
    const log = join(folder, 'prepare.log')
    const argv = [process.execPath, script]
    const status = await runLogged({ argv, cwd: root, log, timeout_ms: 900_000, signal })
    if (status !== 0) console.log(`  note: ${script} failed (${status}), see ${log}`)
  }
}
