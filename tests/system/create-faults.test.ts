import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { ENVIRONMENT, startMachine } from '#tests/support/system/machine.ts'
import { get } from '#tests/support/system/requests.ts'
import { snapshot } from '#tests/support/system/snapshot.ts'

const MINUTES = 60_000
const PROGRAM = 'dist/faulty-agent'
const PARAMS = {
  domain: 'faults.example.test',
  php: '8.2',
  tier: 'small',
  tls: 'none',
  email: 'owner@example.test',
  user: 'faults1a2b3c',
}

interface Report {
  outcome: { event: string; data: Record<string, unknown> }
  steps: { step: string; first: number; last: number }[]
  calls: number
}

const reason = lab.available()
describe.skipIf(reason !== undefined)(
  `a create that fails${reason ? ` [skip: ${reason}]` : ''}`,
  () => {
    let host: lab.Host

    const run = async (command: string, params: object, fault = 0): Promise<Report> => {
      const argv = ['/usr/local/bin/hosting-agent', command, String(fault), JSON.stringify(params)]
      return JSON.parse(await host.must(argv, { env: ENVIRONMENT, timeout_ms: 5 * MINUTES }))
    }

    beforeAll(async () => {
      await must([
        process.execPath,
        'build',
        '--compile',
        `--outfile=${PROGRAM}`,
        'tests/support/system/faulty-agent.ts',
      ])
      const mirror = await wordpressMirror()
      host = await startMachine(
        { name: 'faults', suite: 'bookworm', init: 'systemd' },
        { program: PROGRAM, mirror, serve: false },
      )
    }, 3 * MINUTES)

    afterAll(() => lab.switchDown(), MINUTES)

    test(
      'leaves nothing, whichever step fails and at whichever end',
      async () => {
        expect((await run('server.provision', {})).outcome.event).toBe('complete')
        const before = await snapshot(host)
        const { outcome, steps } = await run('site.create', PARAMS)
        expect(outcome.data).toEqual({ status: 'ok', domain: PARAMS.domain })
        expect(steps.length).toBeGreaterThan(7)
        await run('site.delete', { domain: PARAMS.domain })
        expect(await snapshot(host)).toEqual(before)

        for (const { step, first, last } of steps) {
          for (const fault of new Set([first, last])) {
            const { outcome } = await run('site.create', PARAMS, fault)
            expect([step, outcome.event, outcome.data.message]).toEqual([
              step,
              'error',
              'injected fault',
            ])
            expect([step, await snapshot(host)]).toEqual([step, before])
          }
        }
      },
      15 * MINUTES,
    )

    test(
      'succeeds afterwards with the same parameters',
      async () => {
        const { outcome } = await run('site.create', PARAMS)

        expect(outcome.data).toEqual({ status: 'ok', domain: PARAMS.domain })
        expect((await get(host, `http://${PARAMS.domain}/`)).status).toBe(200)
      },
      MINUTES,
    )
  },
)
