// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ATTACKS } from '#agent/features/isolation/attacks/index.ts'
import type { IsolationResult } from '#shared/isolation/isolation.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import type { Asking } from '#tests/support/system/asking.ts'
import { checked, startIsolated, traces } from '#tests/support/system/isolation.ts'
import { inTurn, releases } from '#tests/support/turns.ts'

const MINUTES = 60_000

/** Nothing answers at the metadata address. */
const NOT_THERE = ['network.metadata']

for (const suite of releases('isolation')) {
  unless(lab.available()).describe(`the isolation of sites on ${suite}`, () => {
    let host: lab.Host
    let agent: Asking

    beforeAll(async () => {
      ;({ host, agent } = await startIsolated(suite))
    }, 10 * MINUTES)
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    const started = async () => {
      const { id, ended } = agent.start('isolation.check', {})
      const script = () => host.exec(['sh', '-c', 'ls /srv/www/canary-a*/public/isolation.php'])
      await lab.poll(async () => (await script()).code === 0)
      return { id, ended }
    }

    test(
      'every attack is refused on a freshly installed server',
      async () => {
        const results = await checked(agent)

        expect([...results.keys()]).toEqual(Object.keys(ATTACKS))
        const outcomes = (wanted: IsolationResult['outcome']) =>
          [...results.values()].filter(({ outcome }) => outcome === wanted)
        expect(outcomes('error')).toEqual([])
        expect(outcomes('succeeded')).toEqual([])
        expect(outcomes('not_applicable').map(({ id }) => id)).toEqual(NOT_THERE)
        expect(await traces(host)).toEqual([])
      },
      10 * MINUTES,
    )

    const cancelled = () =>
      test(
        'a check that is cancelled leaves nothing',
        async () => {
          const { id, ended } = await started()

          await agent.call(`/operations/${id}/cancel`, { force: false })

          expect((await ended).at(-1)?.data).toMatchObject({
            message: 'The operation was cancelled',
          })
          expect(await traces(host)).toEqual([])
        },
        10 * MINUTES,
      )

    const killed = () =>
      test(
        'a check whose agent is killed leaves nothing',
        async () => {
          await started()

          await host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent.service'])

          const gone = await lab.polled(async () => (await traces(host)).length === 0, {
            every_ms: 500,
            timeout_ms: 3 * MINUTES,
          })
          expect(gone ? [] : await traces(host)).toEqual([])
        },
        10 * MINUTES,
      )

    for (const interrupted of inTurn([cancelled, killed], 'isolation.interrupted')) interrupted()
  })
}
