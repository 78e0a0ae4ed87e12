// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import * as lab from '#tests/support/lab/index.ts'
import { ENVIRONMENT, startMachine } from '#tests/support/system/machine.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { get } from '#tests/support/system/requests.ts'
import { type Snapshot, snapshot } from '#tests/support/system/snapshot.ts'
import { testProgram } from '#tests/support/system/test-program.ts'

const MINUTES = 60_000
setDefaultTimeout(15 * MINUTES)
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
  /** `calls`: how often the step called a port of the machine. */
  steps: { step: string; calls: number }[]
}

const reason = lab.available()
describe.skipIf(reason !== undefined)(
  `a create that fails${reason ? ` [skip: ${reason}]` : ''}`,
  () => {
    let host: lab.Host

    const run = async (command: string, params: object, fault = 'none'): Promise<Report> => {
      const argv = ['/usr/local/bin/hosting-agent', command, fault, JSON.stringify(params)]
      return JSON.parse(await host.must(argv, { env: ENVIRONMENT, timeout_ms: 5 * MINUTES }))
    }

    beforeAll(async () => {
      const program = await testProgram('tests/support/system/faulty-agent.ts')
      const mirror = await wordpressMirror()
      host = await startMachine(
        { name: 'faults', suite: 'bookworm', init: 'systemd', image: await packaged('bookworm') },
        { program, mirror, serve: false },
      )
    }, 10 * MINUTES)

    afterAll(() => lab.switchDown(), 5 * MINUTES)

    const destroy = async () => {
      const { domain } = PARAMS
      await run('site.delete', { domain })
      await run('site.purge', { domain, confirm: domain, trashed_days: 0 })
    }

    /** Fails once at this call. A call that has another way, such as the cache, does not fail the create. */
    const attempt = async (step: string, call: number, before: Snapshot): Promise<string> => {
      const { outcome } = await run('site.create', PARAMS, `${step}:${call}`)
      if (outcome.event === 'complete') await destroy()
      else expect([step, outcome.data.message]).toEqual([step, 'injected fault'])
      expect([step, call, await snapshot(host)]).toEqual([step, call, before])
      return outcome.event
    }

    test('leaves nothing, whichever step fails and at whichever end', async () => {
      expect((await run('server.provision', {})).outcome.event).toBe('complete')
      const before = await snapshot(host)
      // Twice: only with a warm cache are the calls of one create those of the next.
      await run('site.create', PARAMS)
      await destroy()
      const { outcome, steps } = await run('site.create', PARAMS)
      expect(outcome.data).toEqual({ status: 'ok', domain: PARAMS.domain })
      await destroy()
      expect(await snapshot(host)).toEqual(before)

      const failed = new Set<string>()
      for (const { step, calls } of steps) {
        for (const call of new Set([1, calls])) {
          if ((await attempt(step, call, before)) === 'error') failed.add(step)
        }
      }
      expect([...failed]).toEqual(steps.map(({ step }) => step))
      expect(failed.size).toBeGreaterThan(7)
    })

    test('succeeds afterwards with the same parameters', async () => {
      const { outcome } = await run('site.create', PARAMS)

      expect(outcome.data).toEqual({ status: 'ok', domain: PARAMS.domain })
      expect((await get(host, `http://${PARAMS.domain}/`)).status).toBe(200)
    })
  },
)
