import { beforeEach, expect, test } from 'bun:test'
import { hookProblem, runHook } from '#agent/features/domains/dns-records.ts'
import { debian } from '#tests/support/agent/debian.ts'
import { HOOK, withHook } from '#tests/support/agent/dns-hook.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const RECORD = { name: '_acme-challenge.a.example', value: '-value_1' }

let host: FakeHost
beforeEach(async () => {
  host = await withHook(debian())
})

const FOLDER = '/etc/hosting-agent'

test.each([
  ['is there', async () => undefined, undefined],
  ['is missing', () => host.disk.remove(HOOK), `${HOOK} is not a file`],
  ['is a link', () => host.disk.link('/bin/true', HOOK), `${HOOK} is not a file`],
  [
    'may be written by its group',
    () => host.disk.write(HOOK, '', { mode: 0o775 }),
    `${HOOK} is writable by others than root`,
  ],
  [
    'belongs to a site',
    () => host.disk.write(HOOK, '', { mode: 0o755, owner: 'www-data' }),
    `${HOOK} does not belong to root`,
  ],
  [
    'is not executable',
    () => host.disk.write(HOOK, '', { mode: 0o644 }),
    `${HOOK} is not executable`,
  ],
  [
    'is in a folder of a site',
    () => host.disk.mkdir(FOLDER, { owner: 'www-data' }),
    `${FOLDER} does not belong to root`,
  ],
  [
    'is in a folder that everybody may write',
    () => host.disk.mkdir(FOLDER, { mode: 0o777 }),
    `${FOLDER} is writable by others than root`,
  ],
])('a hook that %s', async (_, change, problem) => {
  await change()

  expect(await hookProblem(host)).toBe(problem)
  expect(await runHook(host, 'present', RECORD)).toBe(problem)
  expect(host.ran).toHaveLength(problem === undefined ? 1 : 0)
})

test('runs the program outside the sandbox with three arguments and a limit', async () => {
  expect(await runHook(host, 'cleanup', RECORD)).toBeUndefined()

  expect(host.runs).toEqual([
    {
      line: `${HOOK} cleanup _acme-challenge.a.example -value_1`,
      options: { unconfined: true, starts: 'anything', timeout_ms: 120_000 },
    },
  ])
})

test('reports the last line of a failure, without control characters', async () => {
  host.fail(HOOK, `a warning\nthe zone\u001b[1m is locked${'x'.repeat(1000)}\n`, 3)

  const failure = await runHook(host, 'present', RECORD)

  expect(failure).toStartWith(`${HOOK} ended with status 3: the zone [1m is lockedxxx`)
  expect(failure?.length).toBeLessThan(400)
})
