import { scrypt } from 'node:crypto'
import { z } from 'zod'
import { parseJson } from '#shared/parse.ts'
import type { Secret } from '#shared/secret.ts'
import { type CipherKeys, unsealed } from './cipher.ts'

/** restic itself uses at most 60 MB; anybody who can write to the storage chooses these numbers. */
const MOST_MEMORY = 128 * 2 ** 20
const MOST_RUNS = 16

/** A file in the folder of keys (restic, design.rst: "Keys, Encryption and MAC"). */
export const KeyFile = z.looseObject({
  kdf: z.literal('scrypt'),
  N: z.int().positive(),
  r: z.int().positive(),
  p: z.int().positive().max(MOST_RUNS),
  ...{ salt: z.base64(), data: z.base64() },
})
export type Costs = Pick<z.infer<typeof KeyFile>, 'N' | 'r' | 'p'>

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'))
const Master = z
  .object({ mac: z.object({ k: bytes, r: bytes }), encrypt: bytes })
  .transform(({ mac, encrypt }): CipherKeys => ({ cipher: encrypt, tag: mac }))

/** The keys of all data of a repository; undefined if the file has another password, or is none. */
export async function masterKeysIn(text: string, password: Secret) {
  const file = parseJson(KeyFile, text)
  if (!file || 128 * file.N * file.r > MOST_MEMORY) return undefined
  const own = await keysOf(password.reveal(), file.salt, file).catch(() => undefined)
  const master = own && unsealed(own, Buffer.from(file.data, 'base64'))
  return master && parseJson(Master, master.toString('utf8'))
}

/** Those that a password encrypts a key file with. Throws for costs that scrypt cannot have. */
export async function keysOf(password: string, salt: string, costs: Costs): Promise<CipherKeys> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const options = { ...costs, maxmem: 2 * MOST_MEMORY }
    scrypt(password, Buffer.from(salt, 'base64'), 64, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    )
  })
  const tag = { k: bytes.subarray(32, 48), r: bytes.subarray(48) }
  return { cipher: bytes.subarray(0, 32), tag }
}
