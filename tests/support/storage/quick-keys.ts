import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { S3Request } from '#agent/keeper/s3/signature.ts'
import { tagOf } from './poly1305.ts'
import type { S3Answer } from './s3.ts'

/** restic makes N so large that opening a repository takes half a second. */
const QUICK = { N: 16, r: 8, p: 1 }
const NONCE = 16
const TAG = 16

/** A key file of restic (design.rst, "Keys, Encryption and MAC"). */
const KeyFile = z.looseObject({
  kdf: z.literal('scrypt'),
  ...{ N: z.int(), r: z.int(), p: z.int() },
  ...{ salt: z.base64(), data: z.base64() },
})
type Costs = Pick<z.infer<typeof KeyFile>, 'N' | 'r' | 'p'>

/**
 * Encrypts the keys of a local repository again, such that restic opens it at once: for tests that
 * run restic hundreds of times. Keys, names, password and data stay.
 */
export async function quickenKeys(repository: string, password: string): Promise<void> {
  const folder = join(repository, 'keys')
  for (const name of await readdir(folder)) {
    const known = KeyFile.parse(JSON.parse(await readFile(join(folder, name), 'utf8')))
    const master = opened(keysOf(password, known.salt, known), Buffer.from(known.data, 'base64'))
    const data = sealed(keysOf(password, known.salt, QUICK), master).toString('base64')
    const text = JSON.stringify({ ...known, ...QUICK, data })
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

interface Keys {
  cipher: Buffer
  tag: { k: Buffer; r: Buffer }
}

function keysOf(password: string, salt: string, { N, r, p }: Costs): Keys {
  const bytes = scryptSync(password, Buffer.from(salt, 'base64'), 64, { N, r, p, maxmem: 2 ** 30 })
  const tag = { k: bytes.subarray(32, 48), r: bytes.subarray(48) }
  return { cipher: bytes.subarray(0, 32), tag }
}

function sealed({ cipher, tag }: Keys, text: Buffer): Buffer {
  const nonce = randomBytes(NONCE)
  const encrypted = createCipheriv('aes-256-ctr', cipher, nonce).update(text)
  return Buffer.concat([nonce, encrypted, tagOf(tag, nonce, encrypted)])
}

function opened({ cipher, tag }: Keys, data: Buffer): Buffer {
  const nonce = data.subarray(0, NONCE)
  const encrypted = data.subarray(NONCE, -TAG)
  if (!tagOf(tag, nonce, encrypted).equals(data.subarray(-TAG))) throw new Error('another password')
  return createDecipheriv('aes-256-ctr', cipher, nonce).update(encrypted)
}
