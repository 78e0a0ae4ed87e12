import { expect } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { LoggedSite } from './logged.ts'

/** Switches the debug log of a site on, and lets it end while the agent does not run. */
export async function checkDebugLog(logged: LoggedSite): Promise<void> {
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
