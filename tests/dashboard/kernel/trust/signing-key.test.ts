import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createPublicKey, sign, verify } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#dashboard/config.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { signing_keys } from '#dashboard/kernel/db/trust-schema.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'
import {
  createSigningKey,
  loadSigningKey,
  type SigningKey,
} from '#dashboard/kernel/trust/signing-key.ts'
import { start } from '#dashboard/start.ts'

let folder = ''
let db: Database
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signing-key-'))
  db = await openDatabase(`file:${folder}/dashboard.db`)
})
afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true, force: true })
})

const load = (secret = 's'.repeat(43)) =>
  loadSigningKey({
    db,
    clock: realClock,
    random: secureRandom,
    sealer: makeSealer(secret, secureRandom),
  })

/** Whether what the one signs is what the other is known by. */
function speaksFor(one: SigningKey, other: SigningKey): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: other.public_key }
  const text = Buffer.from('text')
  const known = createPublicKey({ key: jwk, format: 'jwk' })
  return verify(null, text, known, sign(null, text, one.private_key))
}

test('is the same key after a restart', async () => {
  const before = await load()
  db.close()
  db = await openDatabase(`file:${folder}/dashboard.db`)

  const after = await load()

  expect([after.kid, after.public_key]).toEqual([before.kid, before.public_key])
  expect([speaksFor(before, after), speaksFor(after, before)]).toEqual([true, true])
})

test('is one key when two processes start at the same time', async () => {
  const [one, other] = await Promise.all([load(), load()])

  expect(one.kid).toBe(other.kid)
  expect(speaksFor(one, other)).toBe(true)
})

test('cannot be opened with another key file', async () => {
  await load()

  await expect(load('t'.repeat(43))).rejects.toThrow()
})

test('cannot be read from the records', async () => {
  const { private_key } = await load()

  const rows = JSON.stringify(await db.read.select().from(signing_keys))

  const { d = '' } = private_key.export({ format: 'jwk' })
  const der = private_key.export({ format: 'der', type: 'pkcs8' })
  for (const form of [d, Buffer.from(d, 'base64url').toString('hex'), der.toString('base64')])
    expect(rows).not.toContain(form)
  expect(rows).not.toContain('PRIVATE KEY')
})

test('has the public half of its private one, whatever the records say', async () => {
  const before = await load()
  const other = createSigningKey({
    clock: realClock,
    random: secureRandom,
    sealer: makeSealer('t'.repeat(43), secureRandom),
  })
  const { public_key } = other
  await db.write((queries) => queries.update(signing_keys).set({ public_key }))

  const after = await load()

  expect(after.public_key).toBe(before.public_key)
})

test('says what to restore when the key file and the records do not match', async () => {
  await load('t'.repeat(43))

  const starting = start(readConfig({ PORT: '0', DATA_DIR: folder }))

  await expect(starting).rejects.toThrow(
    'The signing key cannot be opened: restore DATA_DIR/seal-secret from the backup that belongs to this database',
  )
})
