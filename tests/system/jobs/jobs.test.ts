// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { poll } from '#tests/support/lab/wait.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type JobsWorld, SHOP, startJobsWorld } from '#tests/support/system/site-jobs-world.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000
const ODD = `printf '%s|' "100%" '$HOME' "a\\b" 'é' "\${HOME}"`

/** Cron jobs on a real server, as its owner uses them. */
for (const suite of releases('site-jobs')) {
  unless(lab.available()).describe(`the cron jobs of a site on ${suite}`, () => {
    const { php } = suites[suite]
    let world: JobsWorld

    beforeAll(async () => {
      world = await startJobsWorld(suite, php)
    }, 15 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    test('run as its user in its folder, with its PHP and its WordPress', async () => {
      await world.only(`id -un; pwd; php -r 'echo PHP_VERSION, "\\n";'; wp option get home`)

      const { lines, end } = await world.run()

      expect(end?.event).toBe('complete')
      expect(lines.slice(1)).toEqual([
        ...[world.shop.user, world.shop.docroot, expect.stringMatching(new RegExp(`^${php}`))],
        `http://${SHOP}`,
      ])
    })

    test('get each sign of their line as it is', async () => {
      await world.only(ODD)

      const { lines } = await world.run()

      expect(lines.at(-1)).toBe(`100%|$HOME|a\\b|é|/srv/www/${world.shop.user}|`)
    })

    test('start at their time, and never twice at once', async () => {
      await world.set([
        { name: 'one', schedule: '* * * * *', command: 'echo at its time; sleep 15' },
      ])
      const busy = () => world.host.exec(['systemctl', 'is-active', `${world.unit}.service`])
      const isBusy = async () => (await busy()).stdout.trim() === 'activating'

      expect(await poll(isBusy)).toBe(true)
      const refused = await world.call('POST', '/job-run', { name: 'one' })

      expect(refused.status).toBe(409)
      expect(await poll(async () => !(await isBusy()))).toBe(true)
      const { body } = await world.call('GET', '/jobs')
      expect(body.jobs).toMatchObject([
        { failures: 0, last_run: { result: 'success', exit_status: 0 } },
      ])
      expect((await world.call('GET', '/jobs/one/output')).body.output).toBe('at its time')
    })

    test('fail with their exit status, and the end of their output is kept', async () => {
      await world.only('yes beginning 2>/dev/null | head -c 300000; echo the end; exit 3')

      const { end } = await world.run()
      const { body: listed } = await world.call('GET', '/jobs')
      const { body } = await world.call('GET', '/jobs/one/output')

      expect(end?.data.message).toBe('The job one failed with exit status 3')
      expect(listed.jobs).toMatchObject([{ failures: 1, last_run: { exit_status: 3 } }])
      expect(String(body.output).slice(-17)).toBe('beginning\nthe end')
      expect(String(body.output).length).toBeLessThanOrEqual(65_536)
      expect(String(body.output).length).toBeGreaterThan(60_000)
    })

    test('print a million lines: nothing of it is in the journal, and the log is bounded', async () => {
      const count = async (...matches: string[]) => {
        const argv = [
          'journalctl',
          '--quiet',
          '--output=json',
          '--output-fields=MESSAGE',
          ...matches,
        ]
        return (await world.host.must(argv)).split('\n').length - 1
      }
      await world.only('echo the former one')
      await world.run()
      await world.only('seq 1 1000000')
      await world.host.must(['journalctl', '--sync'])
      const [first] = (await world.host.must(['journalctl', '-q', '-o', 'cat'])).split('\n')
      const before = await count()
      const log = `/srv/www/${world.shop.user}/logs/jobs.log`
      const sizeOf = async () => Number(await world.host.must(['stat', '-c', '%s', log]))
      const former = await sizeOf()

      const { lines, end } = await world.run()

      expect(end?.event).toBe('complete')
      expect(lines.slice(1, 4)).toEqual(['1', '2', '3'])
      expect(lines.at(-1)).toBe('1000000')
      await world.host.must(['journalctl', '--sync'])
      expect(await count(`_SYSTEMD_UNIT=${world.unit}.service`)).toBe(0)
      expect((await count()) - before).toBeLessThan(200)
      const [oldest] = (await world.host.must(['journalctl', '-q', '-o', 'cat'])).split('\n')
      expect(oldest).toBe(first)
      expect((await sizeOf()) - former).toBeLessThan(1 << 20)
      const { body } = await world.call('GET', '/jobs/one/output')
      expect(String(body.output)).toEndWith('\n999999\n1000000')
      expect(String(body.output).length).toBeGreaterThan(60_000)
      const { body: found } = await world.call('GET', '/logs/lines?source=cron&text=the+former')
      expect(found.lines).toMatchObject([{ text: 'the former one', level: 'info' }])
    })

    test('no unit of a site prints to the journal', async () => {
      const show = ['systemctl', 'show', '--property=Id,User,StandardOutput,StandardError', '--']
      const units = await world.host.must(['sh', '-c', 'ls /etc/systemd/system | grep ^hosting-'])
      const names = units.split('\n').filter((name) => name.endsWith('.service'))
      const instances = names.map((name) => name.replace('@.', '@x.'))
      const shown = (await world.host.must([...show, ...instances])).trim().split('\n\n')
      const ofSites = shown.filter((text) => text.includes(`User=${world.shop.user}`))

      expect(ofSites.length).toBeGreaterThan(1)
      expect(ofSites.filter((text) => /^Standard\w+=(journal|kmsg|syslog)/m.test(text))).toEqual([])
    })

    test('end at their limit, with what they started and what they printed', async () => {
      await world.only(`trap '' TERM; echo started; sleep 4321 & sleep 4321`, { max_minutes: 1 })

      const { end } = await world.run()

      expect(end?.data.message).toBe('The job one was ended at its time limit of 1 minutes')
      expect((await world.call('GET', '/jobs/one/output')).body.output).toContain('started')
      expect((await world.host.exec(['pgrep', '-f', 'sleep 4321'])).code).toBe(1)
    })

    test('reach neither the neighbour nor the server', async () => {
      const paths = [
        `${world.other.docroot}/wp-config.php`,
        '/etc/hosting-agent/agent.env',
        `/etc/systemd/system/${world.unit}.service`,
        '/var/lib/hosting-agent/sites',
      ]
      const reads = paths.map((path) => `cat ${path}; ls ${path}`).join('; ')
      const writes = `echo x > /usr/local/lib/hosting/run-job.php; echo x > /etc/cron.d/x; systemctl stop nginx; kill -9 1`
      await world.only(`{ ${reads}; ${writes}; ls /srv/www; } 2>/dev/null; echo reached`)

      const { lines } = await world.run()

      expect(lines.slice(1)).toEqual([world.shop.user, 'reached'])
      const nginx = await world.host.exec(['systemctl', 'is-active', 'nginx'])
      expect(nginx.stdout.trim()).toBe('active')
    })

    test('do not run while the site is suspended', async () => {
      await world.set([{ name: 'one', schedule: '* * * * *', command: 'true' }])
      await world.call('POST', '/suspend')

      const files = await world.host.exec([
        'sh',
        '-c',
        `ls /etc/systemd/system | grep hosting-job@`,
      ])
      const { body } = await world.call('GET', '/jobs')
      const refused = await world.call('POST', '/job-run', { name: 'one' })

      expect(files.stdout).toBe('')
      expect(body).toMatchObject({ stopped: 'suspended', jobs: [{ next_run_at: null }] })
      expect(refused.status).toBe(409)
      await world.call('POST', '/resume')
      const timer = await world.host.exec(['systemctl', 'is-active', `${world.unit}.timer`])
      expect(timer.stdout.trim()).toBe('active')
    })

    test('are beside the events of WordPress, which show when they are overdue and run on request', async () => {
      await world.only(`wp eval 'wp_schedule_single_event(time() - 3600, "overdue_hook");'`)
      const timer = `hosting-cron@${world.shop.user}.timer`
      await world.host.must(['systemctl', 'stop', timer])
      await world.run()

      const before = await world.call('GET', '/wordpress-cron')
      const done = await world.call('POST', '/wordpress-cron-run')
      const after = await world.call('GET', '/wordpress-cron')

      const cron = before.body.cron as { overdue: number; events: { hook: string }[] }
      expect(cron.overdue).toBeGreaterThan(0)
      expect(cron.events[0]?.hook).toBe('overdue_hook')
      expect(done).toMatchObject({ status: 200, body: { status: 'ok' } })
      expect(after.body.cron).toMatchObject({ overdue: 0 })
      await world.host.must(['systemctl', 'start', timer])
    })

    test('are gone with the site', async () => {
      await world.only('true')
      const deleted = await world.call('DELETE', '')
      await endOf(world.dashboard, deleted)

      const files = await world.host.exec([
        'sh',
        '-c',
        'ls -R /etc/systemd/system | grep hosting-job@',
      ])

      expect(files.stdout).toBe('')
    })
  })
}
