import { expect, test } from 'bun:test'
import { siteJobRun } from '#agent/features/jobs/site.job-run.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import {
  failed,
  nightly,
  onStart,
  succeeded,
  withJournal,
} from '#tests/support/agent/job-journal.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const domain = 'shop.example'
const UNIT = 'hosting-job@shop:nightly.service'
const run = (host: FakeHost, name = 'nightly') =>
  outcome(siteJobRun.run({ domain, name }, contextOf(host)))

test('starts the unit of the job and yields what it prints', async () => {
  const { host, journal } = await withJournal()
  journal.reports[UNIT] = failed('before', 0)
  journal.printed.before = 'of the former run'
  onStart(host, UNIT, () => {
    journal.reports[UNIT] = [...failed('before', 0), ...succeeded('now', 100)]
    journal.printed.now = 'one\n\u001b[1mtwo\u001b[0m\n'
  })

  const [lines, result] = await run(host)

  expect(lines).toEqual(['Running the job nightly', 'one', 'two'])
  expect(result).toEqual({ domain, name: 'nightly', seconds: 2 })
})

test.each([
  ['exit-code', 'The job nightly failed with exit status 3'],
  ['timeout', 'The job nightly was ended at its time limit of 60 minutes'],
  ['oom-kill', 'The job nightly was ended by a signal'],
])('fails as its job does: %s', async (reason, message) => {
  const { host, journal } = await withJournal()
  const ending = () => {
    journal.reports[UNIT] = failed('now', 100, reason)
    journal.printed.now = 'no room'
  }
  onStart(host, UNIT, ending, 1)

  expect(await run(host)).toEqual([
    [
      ...['Running the job nightly', 'no room', `Failed: ${message}`],
      'Undoing: Running the job nightly',
    ],
    message,
  ])
  expect(host.ran.at(-1)).toBe(`systemctl stop ${UNIT}`)
})

test('names the reason when systemd does not start the job', async () => {
  const { host } = await withJournal()
  host.fail(`systemctl start ${UNIT}`, 'Unit not found.', 5)

  expect((await run(host))[1]).toBe('The job did not start: Unit not found.')
})

test('does not touch a run that its timer has started', async () => {
  const { host } = await withJournal()
  host.answer('systemctl show', `Names=${UNIT}\nActiveState=activating\n`)

  const [, message] = await run(host)

  expect(message).toBe('The job is running: wait until it has ended')
  expect(host.ran).not.toContain(`systemctl stop ${UNIT}`)
})

test.each([
  ['other', {}, 'Job other of shop.example not found'],
  ['nightly', { suspended: true }, 'shop.example is suspended: resume it to run its jobs'],
])('is refused for %s with %p', async (name, site, message) => {
  const { host } = await withJournal({ jobs: [nightly], ...site })

  expect(await run(host, name)).toEqual([[], message])
  expect(host.ran).toEqual([])
})
