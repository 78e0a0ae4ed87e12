import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

const FOLDER = `${tmpdir()}/hosting-control-test-keys`

export const rsa = (modulusLength = 3072) =>
  generateKeyPairSync('rsa', {
    modulusLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

/** A key of this name that tests made before, or a new one: making one takes half a second. */
export function knownKey(name: string): ReturnType<typeof rsa> {
  const path = `${FOLDER}/${name}.json`
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    const made = rsa()
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
    const own = `${path}.${process.pid}`
    writeFileSync(own, JSON.stringify(made), { mode: 0o600 })
    renameSync(own, path)
    return made
  }
}
