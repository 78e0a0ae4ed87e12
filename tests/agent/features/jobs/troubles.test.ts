import { expect, test } from 'bun:test'
import { listJobTroubles } from '#agent/features/jobs/troubles.ts'
import { AT, failed, nightly, succeeded, withJournal } from '#tests/support/agent/job-journal.ts'

const JOB = 'hosting-job@shop:nightly.service'
const EVENTS = 'hosting-cron@shop.service'
const TIMER = 'hosting-cron@shop.timer'
const at = (seconds: number) => new Date(AT + seconds * 1000).toISOString()

async function withStates(states: Record<string, string>, site?: object) {
  const all = await withJournal(site)
  all.host.time = AT
  const blocks = Object.entries(states).map(
    ([unit, state]) => `Names=${unit}\nActiveState=${state}`,
  )
  all.host.answer('systemctl show', `${blocks.join('\n\n')}\n`)
  return all
}

test('reports a job that failed three times in a row', async () => {
  const { host, journal } = await withStates({ [JOB]: 'failed', [TIMER]: 'active' })
  const twice = [...succeeded('a', 0), ...failed('b', 100), ...failed('c', 200)]
  journal.reports[JOB] = twice

  expect(await listJobTroubles(host)).toEqual([])
  journal.reports[JOB] = [...twice, ...failed('d', 300)]

  const failing = [{ name: 'nightly', failures: 3, at: at(300) }]
  expect(await listJobTroubles(host)).toEqual([
    { domain: 'shop.example', failing, overdue_since: null },
  ])
})

test.each([
  ['its run fails', { [EVENTS]: 'failed', [TIMER]: 'active' }],
  ['its timer stands still', { [EVENTS]: 'inactive', [TIMER]: 'inactive' }],
])('reports events that have not run for an hour: %s', async (_, states) => {
  const { host, journal } = await withStates(states)
  journal.reports[EVENTS] = [...succeeded('a', -7200), ...failed('b', -300)]

  const [found] = await listJobTroubles(host)

  expect(found).toEqual({ domain: 'shop.example', failing: [], overdue_since: at(-7200) })
})

test('reports no failure of the last hour', async () => {
  const { host, journal } = await withStates({ [EVENTS]: 'failed', [TIMER]: 'active' })
  journal.reports[EVENTS] = [...succeeded('a', -600), ...failed('b', -300)]

  expect(await listJobTroubles(host)).toEqual([])
})

test('reads the journal of no site whose jobs are well, and of no suspended one', async () => {
  const well = await withStates({ [JOB]: 'inactive', [EVENTS]: 'inactive', [TIMER]: 'active' })
  const off = await withStates(
    { [JOB]: 'failed', [TIMER]: 'inactive' },
    { jobs: [nightly], suspended: true },
  )

  expect(await listJobTroubles(well.host)).toEqual([])
  expect(await listJobTroubles(off.host)).toEqual([])
  expect([...well.host.ran, ...off.host.ran].filter((line) => /^journalctl/.test(line))).toEqual([])
})
