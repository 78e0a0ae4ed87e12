import { chmod, mkdir, open, readFile } from 'node:fs/promises'
import { codeOf } from './error-code.ts'
import { type Random, randomText } from './random.ts'

/** Makes DATA_DIR, for this user alone. */
export async function makeDataDir(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
}

/** Returns the secret in the file, which is created at the first start with mode 0600. */
export async function readOrCreateSecret(path: string, random: Random): Promise<string> {
  const known = await readFile(path, 'utf8').catch(absent)
  if (known.trim().length >= 32) return known.trim()
  const secret = randomText(random, 48)
  await using file = await open(path, 'w', 0o600)
  await file.chmod(0o600)
  await file.writeFile(`${secret}\n`)
  await file.sync()
  return secret
}

/** Returns no text for a missing file; an unreadable one must not be replaced. */
function absent(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return ''
  throw error
}
