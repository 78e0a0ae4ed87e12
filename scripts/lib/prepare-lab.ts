import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runLogged } from './logged.ts'

/** Each is worth a minute on a new machine and nothing on one that has it. */
const PREPARED = ['scripts/wordpress-mirror.ts', 'scripts/lab-bases.ts']

/**
 * Makes ready what the system tests would else make themselves, one after the other. A failure
 * is only noted: the test that needs the thing meets it again and tells why.
 */
export async function prepareLab(options: {
  root: string
  folder: string
  signal: AbortSignal
}): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { root, folder, signal } = options
  for (const script of PREPARED.filter((path) => existsSync(join(root, path)))) {
    const log = join(folder, 'prepare.log')
    const argv = [process.execPath, script]
    const status = await runLogged({ argv, cwd: root, log, timeout_ms: 900_000, signal })
    if (status !== 0) console.log(`  note: ${script} failed (${status}), see ${log}`)
  }
}
