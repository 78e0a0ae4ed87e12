import { fail } from './lib/fail.ts'
import { newReleaseKey, publicOf } from './lib/release.ts'

/**
 * `bun scripts/release-key.ts new <file>`: the key of a publisher of the agent. Keep the file on a
 * machine without a network; `<file>.pub` is what builds and servers are given.
 */
async function main([word, file, ...rest]: string[]): Promise<void> {
  if (word !== 'new' || file === undefined || rest.length > 0) {
    throw new Error('usage: bun scripts/release-key.ts new <file>')
  }
  const key = await newReleaseKey(file)
  console.log(`${file}      the private key: keep it offline`)
  console.log(`${publicOf(file)}  the public key: ${key}`)
}

await main(process.argv.slice(2)).catch(fail)
