import { Machine } from './install/machine.ts'
import { confirmKit, saveRecovery } from './install/recovery.ts'
import { fail } from './lib/fail.ts'

/**
 * `hosting-control save-release-key [<fingerprint>]` runs as root on the machine of the dashboard,
 * after its start, and by an administrator for a new recovery kit.
 */
async function main([fingerprint, ...rest]: string[]): Promise<void> {
  if (rest.length > 0 || fingerprint?.startsWith('-'))
    throw new Error('usage: hosting-control save-release-key [<fingerprint of the recovery kit>]')
  const machine = new Machine(false)
  if (fingerprint !== undefined) await confirmKit(machine, fingerprint)
  console.log(await saveRecovery(machine))
}

await main(process.argv.slice(2)).catch(fail)
