import { available } from '#tests/support/lab/available.ts'
import { prepareBase } from '#tests/support/lab/base.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { switchDown } from '#tests/support/lab/switch.ts'
import { cephImage } from '#tests/support/storage/ceph.ts'
import { restImage } from '#tests/support/storage/rest.ts'
import { panelPackages } from '#tests/support/stranger/packages.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { machineObstacle, prepareImage } from '#tests/support/vm/image.ts'
import { fail } from './lib/fail.ts'

/**
 * Makes the disks that the hosts of the system tests start from. With `--gate` only those of almost
 * every file: the file that needs another one makes it itself.
 */
async function main(): Promise<void> {
  const isGate = process.argv.includes('--gate')
  const reason = available()
  if (reason !== undefined) return console.log(`no laboratory here: it ${reason}`)
  for (const suite of Object.keys(suites) as (keyof typeof suites)[]) {
    console.log((await prepareBase(suite)).root)
  }
  for (const suite of Object.keys(suites) as (keyof typeof suites)[])
    console.log(...(await packaged(suite)).layers)
  if (!isGate) await makeSpecial()
  await switchDown()
}

async function makeSpecial(): Promise<void> {
  console.log(await panelPackages())
  if ((await machineObstacle()) === undefined) console.log((await prepareImage()).root)
  console.log(...(await cephImage()).layers)
  console.log(...(await restImage()).layers)
}

await main().catch(fail)
