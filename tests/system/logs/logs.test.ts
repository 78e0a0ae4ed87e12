// tier: gate

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { readEvents } from '#shared/kernel/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { startInside } from '#tests/support/system/inside.ts'
import { LoggedSite, type LogNews, SECRET } from '#tests/support/system/logged.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const RELAY = join(import.meta.dir, '../../support/system/smtp-relay.ts')
const PORT = 2525

/** What the logs of a site tell after a fatal error of PHP. */
function hasErrorsAndMail(logged: LoggedSite): void {
  test('counts the fatal errors of the plugin that caused them', async () => {
    const { body } = await logged.world.dashboard.call('GET', `${logged.at}/fatals`)

    expect(body.groups).toMatchObject([{ kind: 'must-use plugin', slug: 'faulty', count: 1 }])
  })

  test('finds errors of PHP and nginx by level and text', () => findsErrors(logged))

  test('has the mail that the relay took, and what it refused', () => findsMail(logged))
}

async function findsErrors(logged: LoggedSite): Promise<void> {
  const [fatal, ...more] = await logged.search('source=php&level=fatal&text=missing_function')
  expect([fatal?.level, more]).toEqual(['fatal', []])
  expect(await logged.search('source=php&level=fatal&text=another_function')).toEqual([])

  await logged.visit(`/?long=yes&key=${SECRET}`)
  expect(await logged.found('source=error&level=error&text=too+big+header')).toBe(true)
  const [line, ...others] = await logged.search('source=error&level=error&text=too+big+header')
  expect([line?.level, others]).toEqual(['error', []])
  expect(line?.text).toStartWith('upstream sent too big header while reading response header')
  expect(line?.text).toContain('request: "GET /?long=yes&key=[masked] HTTP/1.1"')
  expect(await logged.search('source=error&level=fatal&text=too+big+header')).toEqual([])
}

async function findsMail(logged: LoggedSite): Promise<void> {
  const { world } = logged
  const folder = mkdtempSync(join(tmpdir(), 'relay-'))
  const argv = [process.execPath, RELAY, String(PORT), folder]
  const relay = await startInside(world.host.netns, argv, /^listening/)
  const setting = { relay: { host: '127.0.0.1', port: PORT, tls: 'none' } }
  const events = await world.dashboard.stream('PUT', world.path('/mail'), setting)
  expect(events.at(-1)?.event).toBe('complete')
  const sends = async (to: string) => (await logged.page(`/?mail=${to}`)) === 'true'
  expect(await lab.poll(() => sends('ann@example.org'))).toBe(true)
  expect(await sends('bounce@example.org')).toBe(true)

  const sent = 'source=mail&level=info&text=sent+to+ann%40example.org'
  const refused = 'source=mail&level=error&text=bounce%40example.org'
  expect(await logged.found(sent)).toBe(true)
  expect(await logged.found(refused)).toBe(true)
  const [taken] = await logged.search(sent)
  expect(taken?.text).toMatch(/^\S+ sent to ann@example\.org$/)
  const [failed] = await logged.search(refused)
  expect(failed?.text).toMatch(/^\S+ refused for bounce@example\.org: 550 5\.1\.1 No such user$/)
  expect(await logged.search('source=mail&level=error&text=ann%40example.org')).toEqual([])
  await relay.stop()
  rmSync(folder, { recursive: true })
}

/** Switches the debug log of a site on, and lets it end while the agent does not run. */
async function checkDebugLog(logged: LoggedSite): Promise<void> {
  const { world } = logged
  const at = logged.at.replace(/logs$/, 'debug-log')
  const until = async () => (await world.dashboard.call('GET', logged.at)).body.debug_until
  const pool = `/etc/hosting/fpm/${logged.user}-php${logged.php}.d/pool.conf`
  const record = '/var/lib/hosting-agent/sites/logs.example.test.json'
  // The record is written when PHP has its former settings.
  const isOff = async () => !(await logged.bash(`cat ${record}`)).includes('until')
  await logged.visit('/?notice=before')
  const on = await world.dashboard.stream('POST', at, { hours: 1 })
  expect(on.at(-1)?.event).toBe('complete')
  expect(Date.parse(`${await until()}`) - Date.now()).toBeGreaterThan(55 * 60_000)

  const page = await logged.page('/?notice=within')
  expect(await logged.found('source=wordpress&text=a+notice')).toBe(true)
  const [notice] = await logged.search('source=wordpress&text=a+notice')
  expect(notice?.text).toStartWith('PHP Notice:  a notice within in /srv/www/')
  expect(page).toContain('</html>')
  expect(page).not.toContain('a notice within')
  for (const source of ['wordpress', 'php'])
    expect(await logged.search(`source=${source}&text=already+defined`)).toEqual([])

  // As if the hour was over while the agent did not run.
  await logged.bash(`systemctl stop hosting-agent.service
    sed -i 's/"until": "[^"]*"/"until": "2026-01-01T00:00:00.000Z"/' ${record}
    systemctl start hosting-agent.service`)
  expect(await lab.poll(isOff, { timeout_ms: 60_000 })).toBe(true)
  expect(await logged.bash(`cat ${pool}`)).not.toContain('debug')
  await logged.visit('/?notice=after')
  expect(await until()).toBeNull()
  expect(await logged.search('source=wordpress&text=notice+after')).toEqual([])
}

/** The logs in the folder of a site, of which one has a hole of 8 TB. */
async function checkRotation(logged: LoggedSite): Promise<void> {
  const { user } = logged
  const logs = `/srv/www/${user}/logs`
  const files = async () => (await logged.bash(`cd ${logs} && stat -c '%n %U' *.log*`)).split('\n')
  await logged.bash(`truncate -s 8T ${logs}/hole.log
    yes 'a line' | head -c 53000000 > ${logs}/large.log; chown ${user}: ${logs}/*.log`)

  await logged.bash(`timeout 20 logrotate --force /etc/logrotate.d/hosting-${user}`)
  expect(await files()).toContain(`hole.log ${user}`)
  expect(await logged.bash(`ls /var/log/hosting/${user}`)).toContain('access.log.1.gz')

  // A new process of the agent looks at once.
  await logged.bash('systemctl restart hosting-agent.service')
  await lab.poll(async () => (await files()).includes(`large.log.1 ${user}`))
  expect(await files()).toEqual(expect.arrayContaining([`hole.log ${user}`, `large.log.1 ${user}`]))
  await logged.bash(`rm ${logs}/hole.log ${logs}/large.log.1`)
}

for (const suite of releases('logs')) {
  unless(lab.available()).describe(`the logs of a site on ${suite}`, () => check(suite))
}

function check(suite: Suite): void {
  const logged = new LoggedSite(suite)
  const { world } = logged

  beforeAll(() => logged.start(), 10 * MINUTES)
  afterAll(() => world.stop(), 5 * MINUTES)

  test('has requests and errors of nginx and PHP without their secrets', async () => {
    await logged.visit(`/?token=${SECRET}&visible=yes`, `https://a.example/?key=${SECRET}`)
    await logged.visit(`/?fail=1&password=${SECRET}`)
    await logged.visit('/.env')
    await logged.visit(`/wp-content/a%00b?token=${SECRET}`)
    expect(await logged.found('source=access&text=visible%3Dyes')).toBe(true)
    expect(await logged.found('source=php&level=fatal')).toBe(true)

    const [seen] = await logged.search('source=access&text=visible%3Dyes')
    expect(seen).toMatchObject({ level: 'info', status: 200 })
    expect(seen?.text).toContain('"GET /?token=[masked]&visible=yes HTTP/1.1" 200')
    expect(seen?.text).toContain('"https://a.example/?key=[masked]"')
    const [broken] = await logged.search('source=access&level=error')
    expect(broken).toMatchObject({ level: 'error', status: 500 })
    const [fatal] = await logged.search('source=php&level=fatal')
    expect(fatal?.text).toStartWith(
      'PHP Fatal error:  Uncaught Error: Call to undefined function missing_function()',
    )
    for (const source of ['access', 'error', 'php', 'wordpress', 'cron', 'mail'])
      expect(JSON.stringify(await logged.search(`source=${source}`))).not.toContain(SECRET)
    const since = encodeURIComponent(new Date(Date.now() + 60_000).toISOString())
    expect(await logged.search(`source=access&since=${since}`)).toEqual([])
  })

  hasErrorsAndMail(logged)

  test('has what the jobs printed, and a list of all logs with their sizes', async () => {
    await world.host.exec(['systemctl', 'start', `hosting-cron@${logged.user}.service`])
    expect(await logged.found('source=cron&text=the+job+says')).toBe(true)
    const [line] = await logged.search('source=cron&text=the+job+says')
    expect(line?.text).toBe('the job says password=[masked]')

    const { body } = await world.dashboard.call('GET', logged.at)
    const logs = body.logs as { source: string; files: number; bytes: number | null }[]
    expect(logs.map(({ source }) => source)).toEqual([
      ...['access', 'error', 'php', 'wordpress', 'cron', 'mail'],
    ])
    expect(logs[0]?.bytes).toBeGreaterThan(100)
    expect(logs[2]?.files).toBe(1)
    expect(logs[4]).toMatchObject({ files: 1 })
    expect(logs[4]?.bytes).toBeGreaterThan(50)
  })

  test('has the notices of WordPress while its debug log is on, which ends automatically', () =>
    checkDebugLog(logged))

  test('is rotated with the rights of the site, and a hole in a log delays nobody', () =>
    checkRotation(logged))

  test('is read with the rights of the site: a link and a pipe of a hostile owner lead nowhere', async () => {
    const logs = `/srv/www/${logged.user}/logs`
    await logged.bash(`printf '[01-Jan-2026 09:30:00 UTC] the password of root' > /root/secret.log
      mv ${logs}/php-error.log ${logs}/kept
      ln -s /root/secret.log ${logs}/php-error.log
      ln -s /var/log/hosting/${logged.user}/access.log ${logs}/php-error.log.1
      mkfifo ${logs}/php-error.log.2; chown ${logged.user}: ${logs}/php-error.log.2`)

    const lines = await logged.search('source=php')
    await logged.bash(`cd ${logs} && rm php-error.log* && mv kept php-error.log`)

    expect(lines).toEqual([])
    expect(await logged.readers()).toBe('')
  })

  test('continues through rotated and compressed files', async () => {
    const before = (await logged.search('source=access&text=visible%3Dyes')).length
    await logged.bash(`logrotate --force /etc/logrotate.d/hosting-${logged.user}`)
    await logged.visit('/?visible=yes')
    expect(await logged.found('source=access&text=visible%3Dyes', before + 1)).toBe(true)

    const files = await logged.bash(`ls /var/log/hosting/${logged.user}`)
    expect(files).toContain('access.log.1.gz')
    const { body } = await world.dashboard.call('GET', `${logged.at}/fatals`)
    expect(body.groups).toMatchObject([{ slug: 'faulty', count: 1 }])
  })

  test('is rotated by the agent when it grows too fast', async () => {
    const log = `/var/log/hosting/${logged.user}/access.log`
    await logged.bash(`head -c 60M /dev/zero | tr '\\0' '\\n' >> ${log}`)
    // It looks after its start, and every five minutes.
    await logged.bash('systemctl restart hosting-agent.service')
    const isSmall = async () => Number(await logged.bash(`stat -c %s ${log}`)) < 1e6
    expect(await lab.poll(isSmall, { timeout_ms: 60_000 })).toBe(true)
    expect(await logged.found('source=access&text=visible%3Dyes')).toBe(true)
  })

  test('shows new lines as they are written, and a sample of 10,000 a second', async () => {
    const gone = new AbortController()
    const response = await world.dashboard.open(`${logged.at}/events?source=access`, gone.signal)
    const news: LogNews[] = []
    const reading = (async () => {
      for await (const { data } of readEvents(response.body ?? new ReadableStream()))
        news.push(data as unknown as LogNews)
    })().catch(() => undefined)
    const texts = () => news.flatMap((one) => (one.kind === 'line' ? [one.line.text] : []))
    const shown = async () => {
      await logged.visit(`/live?key=${SECRET}`)
      await Bun.sleep(500)
      return texts().some((text) => text.includes('/live?key=[masked]'))
    }
    expect(await lab.poll(shown, { timeout_ms: 30_000 })).toBe(true)

    const log = `/var/log/hosting/${logged.user}/access.log`
    // The line of the last visit may still be on its way.
    const isQuiet = async () => {
      const before = news.length
      await Bun.sleep(2_000)
      return news.length === before
    }
    expect(await lab.poll(isQuiet, { timeout_ms: 30_000 })).toBe(true)
    news.length = 0
    // The agent checks the health of the site meanwhile, which is a line, too.
    const written = async () => Number(await logged.bash(`wc -l < ${log}`))
    const former = await written()
    await logged.flood(log)
    const counted = () => news.reduce((sum, one) => sum + (one.kind === 'line' ? 1 : one.lines), 0)
    const isAll = async () => counted() === (await written()) - former
    expect(await lab.poll(isAll, { timeout_ms: 30_000 })).toBe(true)
    expect(counted()).toBeGreaterThanOrEqual(50_000)

    const lines = texts().length
    expect(lines).toBeGreaterThan(800)
    expect(lines).toBeLessThan(4000)
    gone.abort()
    await reading
    const isUnread = async () => (await logged.readers()) === ''
    expect(await lab.poll(isUnread, { timeout_ms: 60_000 })).toBe(true)
  })

  test('is downloaded as masked text, which the activity records', async () => {
    const response = await world.dashboard.open(`${logged.at}/download?source=access&text=live`)
    const text = await response.text()

    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="logs.example.test-access.log"',
    )
    expect(text).toContain('/live?key=[masked]')
    expect(text).not.toContain(SECRET)
    const { body } = await world.dashboard.call('GET', '/api/activity?type=site.log_download')
    expect(body.activities).toMatchObject([{ domain: 'logs.example.test', status: 'success' }])
  })
}
