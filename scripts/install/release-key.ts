import { existsSync } from 'node:fs'
import { fail } from '#scripts/lib/fail.ts'
import { newReleaseKey, publicOf } from '#scripts/lib/release.ts'

/**
 * `bun scripts/install/release-key.ts <file>`: creates the key that signs the agents of this
 * dashboard, if it is missing. A public key alone means that the private one is stored elsewhere.
 */
async function main([file = '']: string[]): Promise<void> {
  if (existsSync(publicOf(file))) return
  if (existsSync(file)) throw new Error(`${publicOf(file)} is missing beside ${file}`)
  await newReleaseKey(file)
}

await main(process.argv.slice(2)).catch(fail)
