import { existsSync } from 'node:fs'
import { fail } from './lib/fail.ts'
import { newReleaseKey, publicOf } from './lib/release.ts'

/**
 * `bun scripts/release-key.ts new <file>` creates the key of a publisher of the agent. Keep the
 * file on a machine without a network; `<file>.pub` is what builds and servers are given. `ensure
 * <file>` creates it if it is missing: a public key alone means that the private one is stored
 * elsewhere.
 */
async function main([word, file, ...rest]: string[]): Promise<void> {
  if (!['new', 'ensure'].includes(word ?? '') || file === undefined || rest.length > 0) {
    throw new Error('usage: bun scripts/release-key.ts new|ensure <file>')
  }
  const public_file = publicOf(file)
  if (word === 'ensure') {
    if (existsSync(public_file)) return
    if (existsSync(file)) throw new Error(`${public_file} is missing beside ${file}`)
  }
  const key = await newReleaseKey(file)
  console.log(`${file}      the private key: keep it offline`)
  console.log(`${public_file}  the public key: ${key}`)
}

await main(process.argv.slice(2)).catch(fail)
