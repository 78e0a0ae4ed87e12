import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildName, MACHINES } from '#shared/kernel/machines.ts'
import { fail } from './lib/fail.ts'
import { manifestOf, publicKeyIn, signatureOf, signBuild } from './lib/release.ts'

/**
 * `bun scripts/sign-build.ts --key <file> [folder]`: signs the manifests that build-agent.ts left in
 * `dist/` or in the given folder. The executables are not needed: their digests are what is signed.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { key: { type: 'string' } },
    allowPositionals: true,
  })
  if (values.key === undefined) throw new Error('--key names the private key of the publisher')
  const pem = await readFile(values.key, 'utf8')
  const folder = positionals[0] ?? join(import.meta.dir, '../dist')
  const names = ['hosting-agent', ...MACHINES.map((machine) => buildName(machine, ''))]
  const files = names
    .map((name) => join(folder, name))
    .filter((file) => existsSync(manifestOf(file)))
  if (files.length === 0) throw new Error(`${folder} has no build: run build-agent.ts first`)
  for (const file of files) {
    const { version, build, machine, sha256 } = await signBuild(file, pem)
    console.log(`${signatureOf(file)}  ${version} (${build}) ${machine} ${sha256}`)
  }
  console.log(`signed by ${publicKeyIn(pem)}`)
}

await main().catch(fail)
