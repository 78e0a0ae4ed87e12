import { beforeEach, describe, expect, test } from 'bun:test'
import { createApp } from '#agent/app.ts'
import { openGate } from '#agent/kernel/trust/gate.ts'
import { witnessOf } from '#agent/kernel/trust/witness.ts'
import { readings } from '#agent/readings.ts'
import { readingDeps } from '#tests/support/agent/readings.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const hash = (letter: string) => `${letter.repeat(43)}=`
const AT = '2026-11-20T14:05:02.000Z'
const at = (size: number, letter: string, origin = 'hosting-control/0123456789abcdef') => ({
  origin,
  size,
  hash: hash(letter),
  at: AT,
})
const FIRST = at(10, 'a')

let host: FakeHost
beforeEach(() => {
  host = fakeHost()
})
const witness = () =>
  witnessOf({ ...host, state_dir: '/var/lib/hosting-agent', exclusive: host.exclusive })

const keep = (
  checkpoint: typeof FIRST,
  before: { size: number; hash: string } | null = null,
  replaces = false,
) => witness().keep({ checkpoint, before, replaces })

describe('an agent', () => {
  test('keeps the first checkpoint, and each that continues the last one, for root alone', async () => {
    const next = at(12, 'b')

    expect(await keep(FIRST)).toEqual({ accepted: true, last: FIRST })
    expect(await keep(FIRST)).toEqual({ accepted: true, last: FIRST })
    expect(await keep(next, { size: 10, hash: hash('a') })).toEqual({ accepted: true, last: next })

    const path = '/var/lib/hosting-agent/trust/record.json'
    expect(await host.files.read(path)).toBe(`${JSON.stringify(next)}\n`)
    expect((await host.files.stat(path))?.mode).toBe(0o600)
  })

  test.each<[string, typeof FIRST, { size: number; hash: string } | null]>([
    ['a smaller record', at(9, 'b'), null],
    ['a smaller record that names its last link', at(9, 'b'), { size: 10, hash: hash('a') }],
    ['another record of the same size', at(10, 'b'), null],
    ['a larger record without a proof', at(12, 'b'), null],
    ['a larger record with another link at that place', at(12, 'b'), { size: 10, hash: hash('c') }],
    ['a larger record with the link of another place', at(12, 'b'), { size: 11, hash: hash('a') }],
  ])('does not accept %s', async (_, checkpoint, before) => {
    await keep(FIRST)

    expect(await keep(checkpoint, before)).toEqual({ accepted: false, last: FIRST })
    expect(await keep(FIRST)).toEqual({ accepted: true, last: FIRST })
  })

  test('replaces the checkpoint after a restore, and that of another dashboard', async () => {
    await keep(FIRST)
    const older = at(5, 'd')
    const other = at(1, 'e', 'hosting-control/fedcba9876543210')

    expect(await keep(older, null, true)).toEqual({ accepted: true, last: older })
    expect(await keep(other)).toEqual({ accepted: true, last: other })
  })
})

test('a dashboard asks with POST /record, which an agent without authentication does not have', async () => {
  const ask = async (record?: ReturnType<typeof witness>) => {
    const app = createApp({
      ...readingDeps(host),
      gate: openGate,
      runner: {} as never,
      readings,
      policy: {} as never,
      record,
      report: () => undefined,
    })
    const body = JSON.stringify({ checkpoint: FIRST, before: null, replaces: false })
    const response = await app.request('/record', { method: 'POST', body })
    return { status: response.status, body: await response.json() }
  }

  expect(await ask(witness())).toEqual({ status: 200, body: { accepted: true, last: FIRST } })
  expect((await ask()).status).toBe(404)
})
