import { expect, test } from 'bun:test'
import { reportOf } from '#agent/http/report.ts'
import { MOST_REPORT, REPORTED } from '#shared/report.ts'

/** A clock on which no time passes. */
const STILL = { elapsed: () => 0 }

/** A call for each path, whose answer has its name and what is given for it. */
const callsWith = (answers: Record<string, () => Promise<object>>) => ({
  ...Object.fromEntries(REPORTED.map((path) => [path, async () => ({ path })])),
  ...answers,
})
const without = (missing: string) =>
  Object.fromEntries(REPORTED.filter((path) => path !== missing).map((path) => [path, { path }]))

test('has the answers of all calls of a sync', async () => {
  const text = await reportOf(
    { ...callsWith({}), '/health': async () => ({ status: 'ok' }) },
    STILL,
  )

  expect(JSON.parse(text)).toEqual({ answers: without('none') })
})

test.each(REPORTED)('leaves %s out when it cannot be read', async (path) => {
  const text = await reportOf(
    callsWith({ [path]: () => Promise.reject(new Error('refused')) }),
    STILL,
  )

  expect(JSON.parse(text)).toEqual({ answers: without(path) })
})

test('leaves out an answer for which there is no room, in bytes, and has those after it', async () => {
  const sites = 'ö'.repeat(MOST_REPORT / 2)

  const text = await reportOf(callsWith({ '/sites': async () => ({ sites }) }), STILL)

  expect(JSON.parse(text)).toEqual({ answers: without('/sites') })
})

test('is never larger than a dashboard reads', async () => {
  const usage = 'x'.repeat(MOST_REPORT - 600)

  const text = await reportOf(callsWith({ '/usage': async () => ({ usage }) }), STILL)

  expect(Object.keys(JSON.parse(text).answers)).toContain('/usage')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_REPORT)
})

test('leaves out what there is no more time for', async () => {
  let now = 0
  const slow = async () => {
    now += 12_000
    return { path: '/web' }
  }

  const text = await reportOf(callsWith({ '/web': slow }), { elapsed: () => now })

  const answers = { '/services': { path: '/services' }, '/sites': { path: '/sites' } }
  expect(JSON.parse(text)).toEqual({ answers: { ...answers, '/web': { path: '/web' } } })
})
