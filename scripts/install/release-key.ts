import { existsSync } from 'node:fs'
import { fail } from '#scripts/lib/fail.ts'
import { newReleaseKey, publicOf } from '#scripts/lib/release.ts'

/**
 * `bun scripts/install/release-key.ts <file>`: makes the key that signs the agents of this dashboard,
 * unless there is one. A public key alone means that the private one is kept elsewhere.
 */
async function main([file = '']: string[]): Promise<void> {
  if (existsSync(publicOf(file))) return
  if (existsSync(file)) throw new Error(`${publicOf(file)} is missing beside ${file}`)
  await newReleaseKey(file)
}

await main(process.argv.slice(2)).catch(fail)
