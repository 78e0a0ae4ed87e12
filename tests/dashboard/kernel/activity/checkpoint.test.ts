import { describe, expect, test } from 'bun:test'
import { FIRST, hashOf } from '#dashboard/kernel/activity/chain.ts'
import {
  openCheckpoint,
  parseVerifier,
  recordKeyOf,
  signCheckpoint,
  verifierOf,
} from '#dashboard/kernel/activity/checkpoint.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { makeSealer } from '#dashboard/kernel/trust/seal.ts'

const keyWith = (secret: string) => recordKeyOf(makeSealer(secret.repeat(43), secureRandom))
const key = keyWith('s')
const hash = hashOf(FIRST.hash, { id: 1, status: 'success' })
const at = '2026-11-20T14:05:02.000Z'
const checkpoint = { end: { seq: 57, id: 41, hash }, start: FIRST, at }

describe('a checkpoint', () => {
  test('is a C2SP signed note with origin, size and hash', () => {
    const note = signCheckpoint(key, checkpoint)

    const [text = '', signature = ''] = note.split('\n\n')
    expect(text).toBe(`${key.name}\n57\n${hash}\nlast 41\ntime ${at}`)
    expect(signature).toMatch(/^— hosting-control\/[0-9a-f]{16} [A-Za-z0-9+/]{91}=\n$/)
  })

  test.each([FIRST, { seq: 12, id: 9, hash }])('is opened with the public key', (start) => {
    const note = signCheckpoint(key, { ...checkpoint, start })
    const known = parseVerifier(verifierOf(key))

    expect(known && openCheckpoint(known, note)).toEqual({ ...checkpoint, start })
  })

  test.each([
    ['another size', (note: string) => note.replace('\n57\n', '\n56\n')],
    ['another start', (note: string) => note.replace('\n\n', `\nstart 1 1 ${hash}\n\n`)],
    ['another origin', (note: string) => note.replace(key.name, 'hosting-control/0')],
    ['no signature', (note: string) => note.split('\n\n')[0] ?? ''],
    ['a second text', (note: string) => `${note}\n${note}`],
  ])('with %s is refused', (_, change) => {
    expect(openCheckpoint(key, change(signCheckpoint(key, checkpoint)))).toBeUndefined()
  })

  test('of another dashboard is refused', () => {
    const other = keyWith('t')

    expect(openCheckpoint(key, signCheckpoint(other, checkpoint))).toBeUndefined()
    const renamed = { ...other, name: key.name }
    expect(openCheckpoint(key, signCheckpoint(renamed, checkpoint))).toBeUndefined()
  })
})

describe('a verifier key', () => {
  // The example of golang.org/x/mod/sumdb/note.
  const EXAMPLE = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'

  test('has the form of signed notes', () => {
    const known = parseVerifier(EXAMPLE)

    expect(known && verifierOf(known)).toBe(EXAMPLE)
  })

  test.each(['', 'a', EXAMPLE.replace('c74f20a3', 'c74f20a4')])('%j is none', (text) => {
    expect(parseVerifier(text)).toBeUndefined()
  })
})
