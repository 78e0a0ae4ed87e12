import { createHash, randomBytes, scrypt } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { S3Request } from '#agent/programs/keeper/s3/bucket.ts'
import { type CipherKeys, sealed, unsealed } from './cipher.ts'
import type { S3Answer } from './s3.ts'

const MAX_MEMORY = 256 * 2 ** 20
/** restic makes N so large that opening a repository takes half a second. */
const QUICK = { N: 16, r: 8, p: 1 }

/** A file in the folder of keys (restic, design.rst: "Keys, Encryption and MAC"). */
const KeyFile = z.looseObject({
  kdf: z.literal('scrypt'),
  N: z.int().positive(),
  r: z.int().positive(),
  p: z.int().positive(),
  salt: z.base64(),
  data: z.base64(),
})
type Costs = Pick<z.infer<typeof KeyFile>, 'N' | 'r' | 'p'>

/**
 * Encrypts the keys of a local repository again, such that restic opens it at once: for tests that
 * run restic hundreds of times. Keys, names, password and data stay.
 */
export async function quickenKeys(repository: string, password: string): Promise<void> {
  const folder = join(repository, 'keys')
  for (const name of await readdir(folder)) {
    const text = await quickened(await readFile(join(folder, name), 'utf8'), password)
    const path = join(folder, createHash('sha256').update(text).digest('hex'))
    await writeFile(path, text)
    await chmod(path, 0o400)
    await rm(join(folder, name))
  }
}

/** The same as `quickenKeys`, for the objects of a folder of keys. */
export async function quickenObjects(
  request: (asked: S3Request) => Promise<S3Answer>,
  keys: string,
  password: string,
): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), 'keys-'))
  await mkdir(join(copy, 'keys'))
  const listed = await request({ method: 'GET', url: `?prefix=${encodeURIComponent(`${keys}/`)}` })
  const slow = [...listed.body.matchAll(/<Key>[^<]*\/([0-9a-f]{64})<\/Key>/g)].map(
    ([, name = '']) => name,
  )
  for (const name of slow) {
    const { body } = await request({ method: 'GET', url: `/${keys}/${name}` })
    await Bun.write(join(copy, 'keys', name), body)
  }
  await quickenKeys(copy, password)
  for (const name of await readdir(join(copy, 'keys'))) {
    const body = await Bun.file(join(copy, 'keys', name)).text()
    await request({ method: 'PUT', url: `/${keys}/${name}`, body })
  }
  for (const name of slow) await request({ method: 'DELETE', url: `/${keys}/${name}` })
  await rm(copy, { recursive: true })
}

/** A key file with the same content. */
async function quickened(text: string, password: string): Promise<string> {
  const known = KeyFile.parse(JSON.parse(text))
  const slow = await keysOf(password, known.salt, known)
  const master = unsealed(slow, Buffer.from(known.data, 'base64'))
  if (!master) throw new Error('another password')
  const quick = await keysOf(password, known.salt, QUICK)
  const data = sealed(quick, randomBytes(16), master).toString('base64')
  return JSON.stringify({ ...known, ...QUICK, data })
}

/** The keys that a password encrypts a key file with. */
async function keysOf(password: string, salt: string, costs: Costs): Promise<CipherKeys> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const options = { ...costs, maxmem: MAX_MEMORY }
    scrypt(password, Buffer.from(salt, 'base64'), 64, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    )
  })
  const tag = { k: bytes.subarray(32, 48), r: bytes.subarray(48) }
  return { cipher: bytes.subarray(0, 32), tag }
}
