import { expect, test } from 'bun:test'
import { listOwnJobs, readJobOutput } from '#agent/features/jobs/own.ts'
import {
  AT,
  failed,
  nightly,
  running,
  succeeded,
  withJournal,
} from '#tests/support/agent/job-journal.ts'

const domain = 'shop.example'
const UNIT = 'hosting-job@shop:nightly.service'
const at = (seconds: number) => new Date(AT + seconds * 1000).toISOString()

test('a job that has not run has its next run', async () => {
  const { host } = await withJournal()

  expect(await listOwnJobs(host, domain)).toEqual({
    stopped: null,
    jobs: [{ ...nightly, next_run_at: '2026-01-01T03:00:00.000Z', last_run: null, failures: 0 }],
  })
})

test('counts the last runs that failed in a row', async () => {
  const { host, journal } = await withJournal()
  const runs = [failed('a', 0), succeeded('b', 100), failed('c', 200), failed('d', 300, 'timeout')]
  journal.reports[UNIT] = runs.flat()

  const [job] = (await listOwnJobs(host, domain)).jobs

  expect(job?.failures).toBe(2)
  expect(job?.last_run).toEqual({
    ...{ started_at: at(300), seconds: 2, result: 'timed_out', exit_status: null },
  })
})

test('a run without an end runs only while its unit does', async () => {
  const { host, journal } = await withJournal()
  journal.reports[UNIT] = running('a', 0)
  const before = await listOwnJobs(host, domain)

  host.answer('systemctl show', `Names=${UNIT}\nActiveState=activating\n`)
  const now = await listOwnJobs(host, domain)

  expect(before.jobs[0]?.last_run?.result).toBe('killed')
  expect(now.jobs[0]).toMatchObject({ failures: 0, last_run: { result: 'running' } })
})

test.each([
  ['suspended', { suspended: true }],
  ['moving', { moving: { closed: true } }],
])('no job runs automatically on a site that is %s', async (stopped, site) => {
  const { host } = await withJournal({ jobs: [nightly], ...site })

  expect(await listOwnJobs(host, domain)).toMatchObject({ stopped, jobs: [{ next_run_at: null }] })
})

test('a disabled job has no next run', async () => {
  const { host } = await withJournal({ jobs: [{ ...nightly, enabled: false }] })

  expect(await listOwnJobs(host, domain)).toMatchObject({ jobs: [{ next_run_at: null }] })
})

test('the output of the last run is plain text, and its end is kept', async () => {
  const { host, journal } = await withJournal()
  journal.reports[UNIT] = [...succeeded('a', 0), ...failed('b', 100)]
  journal.printed = { a: 'old', b: `${'x'.repeat(70_000)}\n\u001b[31mno room\u001b[0m\u0007\n` }

  const { run, output } = await readJobOutput(host, { domain, name: 'nightly' })

  expect(run).toMatchObject({ result: 'failed', exit_status: 3 })
  expect(output).toHaveLength(65_536)
  expect(output).toEndWith('x\nno room')
})

test('an unknown job has no output', async () => {
  const { host } = await withJournal()

  await expect(readJobOutput(host, { domain, name: 'other' })).rejects.toMatchObject({
    code: 'not_found',
    message: 'Job other of shop.example not found',
  })
})
