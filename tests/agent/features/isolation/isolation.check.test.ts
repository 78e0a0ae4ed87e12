// tier: gate
import { expect, test } from 'bun:test'
import { ATTACKS } from '#agent/features/isolation/attacks/index.ts'
import { isolationCheck } from '#agent/features/isolation/isolation.check.ts'
import { ADMIN_STATEMENTS } from '#agent/kernel/host/admin-statements.ts'
import { undoSteps } from '#agent/kernel/operations/steps.ts'
import { iterateList } from '#agent/kernel/steps/command.ts'
import { isolationCheck as contract } from '#shared/isolation/isolation.check.ts'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import { canaryHost, verdicts } from '#tests/support/agent/canary-host.ts'
import { contextOf, debian, outcome } from '#tests/support/agent/debian.ts'
import { eachFault } from '#tests/support/agent/faults.ts'
import { askOn } from '#tests/support/agent/readings.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const check = (host: FakeHost) => outcome(isolationCheck.run({}, contextOf(host)))
const strong = () => canaryHost(verdicts(), verdicts())

const ofCanaries = (host: FakeHost) =>
  Object.keys(host.disk.all).filter((path) => path.includes('canary-'))

async function resultsOf(host: FakeHost): Promise<Map<string, IsolationResult>> {
  const [, result] = await check(host)
  const { results } = contract.result.parse(result)
  return new Map(results.map((one) => [one.id, one]))
}

test('reports the outcome of every attack and removes both sites', async () => {
  const host = await strong()
  const before = await host.disk.read('/etc/passwd')

  const [lines, result] = await check(host)

  const counts = { refused: 61, succeeded: 0, not_applicable: 3, error: 0 }
  const checked_at = expect.stringMatching(/^2026-01-01T00:00:/)
  const { results } = contract.result.parse(result)
  expect(result).toEqual({ checked_at, counts, results })
  expect(results.map(({ id, title }) => [id, title])).toEqual(
    Object.entries(ATTACKS).map(([id, { title }]) => [id, title]),
  )
  expect(lines.filter((line) => line.startsWith('Refused: '))).toHaveLength(61)
  expect(lines.at(-1)).toBe('61 attacks were refused and 0 succeeded')
  expect(ofCanaries(host)).toEqual([])
  expect(await host.disk.read('/etc/passwd')).toBe(before)
  expect(host.ran.filter((line) => line.startsWith('userdel'))).toEqual([
    'userdel -- canary-nr1rrrrrrrrrr',
    'userdel -- canary-ar1rrrrrrrrrr',
  ])
})

const through = { outcome: 'succeeded', detail: 'listed /srv/www (2)' } as const

test('completes when attacks succeed and names the places where it tried them', async () => {
  const unknown = { outcome: 'not_applicable', detail: 'no systemd' } as const
  const host = await canaryHost(
    verdicts({ 'names.manager': unknown }),
    verdicts({ 'files.homes': through, 'names.manager': unknown }),
    verdicts({ 'names.manager': unknown }),
  )

  const results = await resultsOf(host)

  expect(results.get('files.homes')).toEqual({
    id: 'files.homes',
    title: 'List the homes of other sites',
    outcome: 'succeeded',
    detail:
      'from a job: listed /srv/www (2). A site learns which other sites the server has, and what is in their folders.',
  })
  expect(results.get('names.manager')).toMatchObject({
    outcome: 'not_applicable',
    detail: 'no systemd',
  })
})

test('names a cron job as the place of a success', async () => {
  const host = await canaryHost(verdicts(), verdicts(), verdicts({ 'files.homes': through }))
  const { detail } = (await resultsOf(host)).get('files.homes') ?? {}

  expect(detail).toStartWith('from a cron job: listed /srv/www (2)')
})

test('does not count an attack as refused when it could not run everywhere', async () => {
  const host = await canaryHost(verdicts())

  const results = await resultsOf(host)

  expect(results.get('files.configs')).toMatchObject({
    outcome: 'error',
    detail: 'from a job: no job of the site has run',
  })
  expect(results.get('job.limits')).toMatchObject({ outcome: 'error' })
  expect(results.get('sql.grants')).toMatchObject({ outcome: 'refused' })
  expect(ofCanaries(host)).toEqual([])
})

const privilege = (who: string, what: string, place = '*', passes = 'NO') => ({
  ...{ who, what, place, passes },
})

test('finds site accounts with rights beyond their database', async () => {
  const host = await strong()
  host.rows(ADMIN_STATEMENTS.list_privileges, [
    privilege("'canary-ar1rrrrrrrrrr'@'localhost'", 'SELECT', 'canary-ar1rrrrrrrrrr'),
    privilege("'canary-nr1rrrrrrrrrr'@'localhost'", 'FILE'),
    privilege("'PUBLIC'@''", 'SELECT'),
    privilege("'root'@'localhost'", 'SUPER', '*', 'YES'),
  ])

  expect((await resultsOf(host)).get('sql.accounts')).toMatchObject({
    outcome: 'succeeded',
    detail:
      'has canary-nr1rrrrrrrrrr (FILE on *), PUBLIC (SELECT on *). A site of this server reads or changes data of others.',
  })
})

test('leaves nothing behind when any step fails', async () => {
  const faults = await eachFault(strong, check, async (host, _, __, fault) => {
    expect([fault, ofCanaries(host)]).toEqual([fault, []])
  })

  expect(faults).toBeGreaterThan(100)
}, 180_000)

test('a restart undoes it from its records', async () => {
  const host = await strong()
  const attempt = host.net.probe
  host.net.probe = async (probe) => {
    if (probe.path !== '/') throw new Error('the power failed')
    return attempt(probe)
  }
  const context = contextOf(host)
  const cut: typeof context = {
    ...context,
    // The process ends in the middle: nothing undoes what was made.
    async *perform(list) {
      for await (const step of iterateList(list)) {
        const work = 'line' in step ? step.line() : step.apply()
        if (Symbol.asyncIterator in work) yield* work
        else await work
      }
      return undefined
    },
  }
  await outcome(isolationCheck.run({}, cut))
  expect(ofCanaries(host)).not.toEqual([])

  const steps = (await isolationCheck.steps?.({}, host)) ?? []
  const journal = { write: async () => undefined, makeRoom: async () => false }
  await outcome(undoSteps(steps, journal) as never)

  expect(ofCanaries(host)).toEqual([])
  expect(await isolationCheck.steps?.({}, host)).toEqual([])
})

test('first removes leftovers of an earlier check', async () => {
  const host = await strong()
  const left = {
    ...{ domain: 'canary-attacker-abcdefghijklmnop.invalid', user: 'canary-aabcdefghijkl' },
    ...{ php: '8.2', tier: 'small', tls: 'none', email: 'nobody@example.com' },
  }
  const path = `/var/lib/hosting-agent/canaries/${left.domain}.json`
  await host.disk.write(path, JSON.stringify(left))
  await host.disk.write(`/srv/www/${left.user}/public/index.php`, '')
  await host.disk.append('/etc/passwd', `${left.user}:x:1009:1009:Site ${left.domain}:/:/\n`)

  const [lines] = await check(host)

  expect(lines.slice(0, 3)).toEqual([
    'Checking that the sites of this server cannot reach each other',
    'Removing the sites of an interrupted check',
    'Recording the names of two temporary sites',
  ])
  expect(ofCanaries(host)).toEqual([])
})

test('plans the steps without doing any of them', async () => {
  const host = await strong()
  const before = host.disk.all

  const steps = await isolationCheck.plan({}, host)

  expect(steps.map(({ name }) => name)).toEqual([
    'records',
    ...['attacker', 'neighbour'].flatMap((role) =>
      ['user', 'folders', 'core', 'database', 'install', 'pool', 'vhost', 'cron', 'probe'].map(
        (step) => `${role} ${step}`,
      ),
    ),
    ...['traces', 'attacks', 'removal'],
  ])
  expect(host.disk.all).toEqual(before)
})

test('temporary sites appear in no reading', async () => {
  const host = await strong()
  const { probe } = host.net
  const read: unknown[] = []
  host.net.probe = async (options) => {
    if (options.path.includes('do=try')) {
      for (const at of ['GET /sites', 'GET /services', 'GET /trash', 'GET /certificates'] as const)
        read.push(await askOn(host)(at, {}))
    }
    return probe(options)
  }

  await check(host)

  expect(read).toHaveLength(4)
  expect(JSON.stringify(read)).not.toContain('canary-')
})

test('is refused on a disk that is nearly full', async () => {
  const host = await canaryHost(verdicts(), verdicts())
  host.disk.space = async () => ({ free: 900 * 2 ** 20, total: 2 ** 40 })

  expect((await check(host))[1]).toBe(
    'Only 900 MB are free on this server, and a check needs 1024 MB',
  )
  expect(ofCanaries(host)).toEqual([])
})

test('installs nothing on a server that is not ready for sites', async () => {
  const bare = debian()
  expect((await check(bare))[1]).toBe('This server is not ready for sites: provision it first')
  expect(bare.ran.filter((line) => line.startsWith('apt-get'))).toEqual([])
})
