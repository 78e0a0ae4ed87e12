import { describe, expect, test } from 'bun:test'
import { getTableColumns } from 'drizzle-orm'
import {
  ChainCheck,
  canonicalJson,
  FIRST,
  hashOf,
  type Link,
  type LinkContent,
  NO_HASH,
} from '#dashboard/kernel/activity/chain.ts'
import type { ActivityRow } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'

const ROW: ActivityRow = {
  id: 1,
  type: 'site.create',
  domain: 'shop.example',
  status: 'running',
  server_id: 1,
  operation_id: 'op-1',
  user_id: 1,
  token: null,
  address: '203.0.113.7',
  detail: 'ü "x"\n',
  created_at: '2026-11-20T14:05:02.000Z',
  via: 'session',
}
const TEXT =
  '{"address":"203.0.113.7","created_at":"2026-11-20T14:05:02.000Z","detail":"ü \\"x\\"\\n","domain":"shop.example","id":1,"operation_id":"op-1","server_id":1,"status":"running","type":"site.create","user_id":1,"via":"session"}'

describe('the canonical form of an activity', () => {
  test('has every column of the table, in order, without those that are null', () => {
    expect(canonicalJson(ROW)).toBe(TEXT)
    expect(Object.keys(ROW).sort()).toEqual(Object.keys(getTableColumns(activities)).sort())
  })

  test('does not depend on the order of the fields', () => {
    const reversed = Object.fromEntries(Object.entries(ROW).reverse())

    expect(canonicalJson(reversed)).toBe(TEXT)
  })
})

describe('the chain', () => {
  // Computed with hashlib of Python.
  const WRITTEN = '/UP+t1zQlRLrC1eLWJA1js4rKPQbuBsCH1DK7U3jyac='
  const ENDED = 'UUALyN20QaGEQnrVRXz+pisYcE3U2AgxH8dI0qlwQHg='
  const end: LinkContent = { id: 1, status: 'success' }

  test('hashes the hash before it and the canonical form', () => {
    expect(hashOf(NO_HASH, ROW)).toBe(WRITTEN)
    expect(hashOf(WRITTEN, end)).toBe(ENDED)
  })

  const links: readonly Link[] = [
    { seq: 1, id: 1, hash: WRITTEN, content: ROW, status: 'success' },
    { seq: 2, id: 1, hash: ENDED, content: end },
  ]

  test('fits link by link', () => {
    const check = new ChainCheck(FIRST)

    expect(check.addAll(links)).toBeUndefined()
    expect(check.end).toEqual({ seq: 2, id: 1, hash: ENDED })
    expect([check.entries, check.unsealedEnds]).toEqual([1, 0])
  })

  test('counts an end without a link', () => {
    const check = new ChainCheck(FIRST)
    check.addAll(links.slice(0, 1))

    expect(check.unsealedEnds).toBe(1)
  })

  const changed = { ...ROW, domain: 'other.example' }
  const [first, last] = links as [Link, Link]
  test.each<[string, Link[]]>([
    ['changed', [{ ...first, content: changed }]],
    ['changed', [{ ...first, status: 'failed' }, last]],
    ['changed', [first, { ...last, content: { id: 1, status: 'failed' } }]],
    ['removed', [{ ...first, content: null }]],
    ['inserted', [{ ...first, unlinked: 1 }]],
    ['order', [first, { ...first, seq: 2 }]],
    ['order', [first, last, { ...last, seq: 3 }]],
    ['order', [{ ...last, seq: 1 }]],
    ['link_missing', [last]],
  ])('is %s', (code, broken) => {
    expect(new ChainCheck(FIRST).addAll(broken)).toMatchObject({ code, id: 1 })
  })
})
