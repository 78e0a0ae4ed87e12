// tier: gate
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import * as lab from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { Asking } from '#tests/support/system/asking.ts'
import { arm, disarm, survivors } from '#tests/support/system/hostile.ts'
import { startMachine } from '#tests/support/system/machine.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { type Snapshot, snapshot } from '#tests/support/system/snapshot.ts'

const MINUTES = 60_000
const PROGRAM = '/usr/local/bin/hosting-agent'
const SETTINGS = `AGENT_LISTEN=127.0.0.1:8443
AGENT_WORDPRESS_URL=file:///srv/mirror
AGENT_WP_CLI_URL=file:///srv/mirror/wp-cli.phar
`
const SITE = {
  domain: 'cancel.example.test',
  php: '8.2',
  tier: 'small',
  tls: 'none',
  email: 'owner@example.test',
  user: 'cancel1a2b3c',
}
const CANCELLED = { error: 'Conflict', message: 'The operation was cancelled' }

/** Each runs in another way: as root, as the site's user, outside of the sandbox. */
const PROGRAMS = ['/usr/sbin/useradd', '/usr/bin/cp', '/usr/bin/php8.2', '/usr/sbin/nginx']

const machines = [
  { name: 'in its sandbox, under systemd', init: 'systemd', forget: true },
  { name: 'in a container', init: 'none', forget: false },
] as const

unless(lab.available()).describe('a cancelled create', () => {
  describe.each(machines)('of an agent $name', ({ init, forget }) => {
    let host: lab.Host
    let agent: Asking
    let before: Snapshot

    const provisioned = async () => {
      const { file: program } = await buildAgent('.')
      const name = `cancel-${init}`
      const mirror = await wordpressMirror()
      const image = await packaged('bookworm')
      const options = { name, suite: 'bookworm', init, image } as const
      host = await startMachine(options, { program, mirror, serve: init === 'none' })
      agent = init === 'none' ? Asking.plainly(host) : await Asking.signed(host)
      if (init === 'systemd') {
        await host.put('/etc/hosting-agent/agent.env', SETTINGS, 0o600)
        await host.must([PROGRAM, 'install'])
        await lab.poll(async () =>
          (await agent.call('/nowhere', {}).catch(() => '')).includes('Not found'),
        )
      }
      const events = await agent.start('server.provision', {}).ended
      expect(events.at(-1)).toMatchObject({ event: 'complete' })
      await agent.start('site.create', SITE).ended
      await agent.start('site.delete', { domain: SITE.domain }).ended
      const purge = { domain: SITE.domain, confirm: SITE.domain, trashed_days: 0 }
      expect((await agent.start('site.purge', purge).ended).at(-1)?.event).toBe('complete')
    }
    beforeAll(async () => {
      await provisioned()
      before = await snapshot(host)
    }, 10 * MINUTES)
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    /** Cancels a create when the program hangs in it; how long it took until nothing of it ran. */
    const cancelled = async (program: string, force: boolean) => {
      const name = program.split('/').at(-1) ?? ''
      await arm(host, [program], { forget })
      const { id, ended } = agent.start('site.create', SITE)
      await lab.poll(() => survivors(host).length === 3, { awaited: `${name} hangs` })
      const began = performance.now()
      const answer = await agent.call(`/operations/${id}/cancel`, { force })
      const answered = performance.now()
      await lab.poll(() => survivors(host).length === 0, { every_ms: long ? 1 : 20 })
      const took = performance.now() - began
      console.log(
        `${init}: ${name}, ${force ? 'forced' : 'graceful'}: nothing runs ${took.toFixed(0)} ms after the request, ${Math.max(0, performance.now() - answered).toFixed(0)} ms after its answer`,
      )
      expect(JSON.parse(answer)).toEqual({ ended: false })
      expect(survivors(host)).toEqual([])
      expect((await ended).at(-1)?.data).toEqual(CANCELLED)
      await disarm(host, [program])
      expect(await snapshot(host)).toEqual(before)
      return took
    }

    test.each(PROGRAMS)(
      'ends %s and its children, and leaves nothing of the site',
      async (program) => {
        const took = await cancelled(program, true)
        if (long) expect(took).toBeLessThan(150)
      },
    )

    const patient = init === 'systemd' || long ? undefined : 'HOSTING_LONG=1 waits here, too'
    unless(patient).test(
      'a graceful one ends what does not heed it after 10 seconds',
      async () => {
        const took = await cancelled('/usr/bin/php8.2', false)

        expect(took).toBeGreaterThan(9000)
        if (long) expect(took).toBeLessThan(11_000)
      },
      5 * MINUTES,
    )
  })
})
