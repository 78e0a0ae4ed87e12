import { expect, test } from 'bun:test'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { repeatRound } from '#tests/support/agent/rounds.ts'
import { tableOf } from '#tests/support/commands.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const LAYOUT = '/var/lib/hosting-agent/layout.json'

/** An agent whose `site.update` records its requests, and fails as often as the test sets. */
async function agentWith(
  domains: string[],
  failures: Record<string, number> = {},
  unprovisioned = 0,
) {
  const host = fakeHost()
  for (const domain of domains) {
    await writeSite(host, { ...shop, domain, user: domain.replaceAll('.', '') })
  }
  const asked: unknown[] = []
  const provisioned: unknown[] = []
  const commands = tableOf({
    'server.provision': {
      lock: () => 'server',
      plan: async () => [],
      async *run(params) {
        provisioned.push(params)
        yield 'working'
        if (provisioned.length <= unprovisioned) throw new Error('no mirror')
        return { php_versions: params.php_versions }
      },
    },
    'site.update': {
      lock: ({ domain }) => domain,
      plan: async () => [],
      async *run(params) {
        asked.push(params)
        yield 'working'
        const left = failures[params.domain] ?? 0
        failures[params.domain] = left - 1
        if (left > 0) throw new Error('no room')
        return { domain: params.domain, php: '8.2', tier: 'small' }
      },
    },
  })
  const runner = new Runner({ host, commands, report: () => undefined })
  const reported: string[] = []
  const report = (error: unknown) => reported.push(String(error))
  /** Until the layout is recorded. */
  const run = async () => {
    const { sleep } = host.clock
    host.clock.sleep = async (ms) => {
      if ((await layoutOf(host)) === '{"layout":13}') throw new Error('over')
      await sleep(ms)
    }
    const ended = repeatRound(host, 'layout of sites', report, { runner })
    await expect(ended).rejects.toThrow('over')
    host.clock.sleep = sleep
  }
  return { host, asked, provisioned, reported, run }
}

const layoutOf = async (host: FakeHost) => (await host.disk.read(LAYOUT))?.trim()

test('applies the configuration of this version to each site, once', async () => {
  const { host, asked, provisioned, reported, run } = await agentWith(['a.example', 'b.example'])

  await run()
  await run()

  expect(provisioned).toEqual([{ php_versions: ['8.2'] }])
  expect(asked).toEqual([{ domain: 'a.example' }, { domain: 'b.example' }])
  expect([await layoutOf(host), reported]).toEqual(['{"layout":13}', []])
})

test('only records the layout on a server without sites', async () => {
  const { host, asked, provisioned, run } = await agentWith([])

  await run()

  expect([provisioned, asked, await layoutOf(host)]).toEqual([[], [], '{"layout":13}'])
})

test('reports a site that could not be changed, and retries it an hour later', async () => {
  const { host, asked, reported, run } = await agentWith(['a.example', 'b.example'], {
    'a.example': 1,
  })
  const started_ms = host.time

  await run()

  expect(asked).toEqual([{ domain: 'a.example' }, { domain: 'b.example' }, { domain: 'a.example' }])
  expect(reported).toHaveLength(1)
  expect(reported[0]).toStartWith(
    'Error: a.example could not be updated to this version of the agent: ',
  )
  expect([host.time - started_ms, await layoutOf(host)]).toEqual([3_600_000, '{"layout":13}'])
})

test('changes sites without new packages, and again after packages were installed', async () => {
  const { host, asked, provisioned, reported, run } = await agentWith(['a.example'], {}, 1)
  const started_ms = host.time

  await run()

  expect(asked).toEqual([{ domain: 'a.example' }, { domain: 'a.example' }])
  expect(provisioned).toHaveLength(2)
  expect(reported).toEqual([
    expect.stringMatching(
      /^Error: The server could not be updated to this version of the agent: .*no mirror/,
    ),
  ])
  expect([host.time - started_ms, await layoutOf(host)]).toEqual([3_600_000, '{"layout":13}'])
})
