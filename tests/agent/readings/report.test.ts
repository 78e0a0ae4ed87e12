import { expect, test } from 'bun:test'
import { reportOf } from '#agent/readings/report.ts'
import { MAX_REPORT, REPORTED } from '#shared/report.ts'

/** A clock on which no time passes. */
const STILL = { elapsed: () => 0 }

type Answers = Parameters<typeof reportOf>[0]

/** Answers each path with its name, except where something else is given for it. */
const answering =
  (given: Partial<Record<string, () => Promise<object>>>): Answers =>
  async (path) =>
    given[path]?.() ?? { path }
const without = (missing: string) =>
  Object.fromEntries(REPORTED.filter((path) => path !== missing).map((path) => [path, { path }]))

test('has the answers of all calls of a sync', async () => {
  const report = await reportOf(answering({}), STILL)

  expect(report).toEqual({ answers: without('none') })
})

test.each(REPORTED)('leaves %s out when it cannot be read', async (path) => {
  const report = await reportOf(
    answering({ [path]: () => Promise.reject(new Error('refused')) }),
    STILL,
  )

  expect(report).toEqual({ answers: without(path) })
})

test('leaves out an answer for which there is no room, in bytes, and has those after it', async () => {
  const sites = 'ö'.repeat(MAX_REPORT / 2)

  const report = await reportOf(answering({ '/sites': async () => ({ sites }) }), STILL)

  expect(report).toEqual({ answers: without('/sites') })
})

test('is never larger than a dashboard reads', async () => {
  const usage = 'x'.repeat(MAX_REPORT - 600)

  const report = await reportOf(answering({ '/usage': async () => ({ usage }) }), STILL)

  expect(Object.keys(report.answers)).toContain('/usage')
  expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThanOrEqual(MAX_REPORT)
})

test('leaves out what there is no more time for', async () => {
  let now = 0
  const slow = async () => {
    now += 12_000
    return { path: '/web' }
  }

  const report = await reportOf(answering({ '/web': slow }), { elapsed: () => now })

  expect(Object.keys(report.answers)).toEqual(['/services', '/sites', '/web'])
})
