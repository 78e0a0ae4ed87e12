// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { buildWeb } from '#scripts/build-web.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import * as lab from '#tests/support/lab/index.ts'
import { lacking, unless } from '#tests/support/skip.ts'
import { get } from '#tests/support/system/requests.ts'

const MINUTES = 60_000

setDefaultTimeout(10 * MINUTES)
const SOURCE = '/opt/hosting-control'
const START = ['sh', `${SOURCE}/scripts/start.sh`]
const ENV = { HOME: '/root', DATA_DIR: '/root/data' }

/** A machine on its first day, with this folder and Bun on it, and with no other network. */
unless(lab.available() ?? lacking({ programs: ['curl'] })).describe(
  'start.sh on a fresh machine',
  () => {
    let host: lab.Host
    let program: lab.Background

    beforeAll(async () => {
      await buildAgent(resolve('.'))
      await buildWeb(resolve('.'))
      const mirror = await wordpressMirror()
      host = await lab.startHost({
        name: 'start',
        suite: 'bookworm',
        init: 'systemd',
        binds: [
          { from: resolve('.'), to: SOURCE, readonly: true },
          { from: realpathSync(process.execPath), to: '/usr/local/bin/bun', readonly: true },
          { from: mirror, to: '/root/.cache/hosting-control/wordpress-mirror', readonly: true },
        ],
      })
    }, 10 * MINUTES)

    afterAll(async () => {
      await program?.stop()
      await lab.switchDown()
    }, 10 * MINUTES)

    test('creates the first WordPress site with one call', async () => {
      program = host.spawn([...START, '--site', 'example.test'], ENV)
      await lab.poll(() => /password: {2}|error:/.test(program.output()), {
        every_ms: 200,
        timeout_ms: 8 * MINUTES,
      })
      expect(program.output()).not.toContain('error:')

      const page = await get(host, 'http://example.test/')

      expect(page.status).toBe(200)
      expect(page.body).toContain('wp-content')
    })

    test('creates another one through the running dashboard', async () => {
      const said = await host.must([...START, '--site', 'two.test', '--tls', 'self-signed'], {
        env: ENV,
      })

      expect(said).toContain('Hosting Control is running already')
      expect((await get(host, 'https://two.test/')).status).toBe(200)
    })

    test('shows an existing site and keeps its password', async () => {
      const said = await host.must([...START, '--site', 'example.test'], { env: ENV })

      expect(said).toContain('http://example.test/')
      expect(said).not.toContain('password: ')
    })

    test('leaves the sites running when it ends', async () => {
      await program.stop()

      const gone = host.exec(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/3000'])
      expect((await gone).code).not.toBe(0)
      expect((await get(host, 'http://example.test/')).status).toBe(200)
    })
  },
)
