// tier: gate
import { expect, test } from 'bun:test'
import type { SiteHealth } from '#shared/servers/agent.ts'
import { addFilter } from '#tests/support/browser/filters.ts'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'

const PHP = 'PHP 8.2 of this site has failed'
const REFUSED = 'The certificate for tls.example was refused: DNS problem: NXDOMAIN'

const { agent, open } = useFleet()

const health = (domain: string, state: SiteHealth['state'], code: string, reason = '') => ({
  ...{ domain, state, code, reason },
  checks: [{ check: 'php' as const, state, code, reason }],
})
const wellExcept = (...others: SiteHealth[]) => [
  health('well.example', 'up', 'up'),
  health('broken.example', 'up', 'up'),
  health('tls.example', 'up', 'up'),
  ...others,
]
/** The last one of a domain counts. */
const say = (...others: SiteHealth[]) => {
  agent.health = [...new Map(wellExcept(...others).map((one) => [one.domain, one])).values()]
}

agent.sites = ['well', 'broken', 'tls'].map((name) =>
  foundSite(`${name}.example`, { tls: name === 'tls' ? 'letsencrypt' : 'none' }),
)
say(
  health('broken.example', 'down', 'php_failed', PHP),
  health(
    'tls.example',
    'degraded',
    'certificate_missing',
    `Its certificate is missing. ${REFUSED}`,
  ),
)
agent.works.set('service.restart', async function* ({ service }) {
  yield `Restarting ${service}`
  say(health('tls.example', 'degraded', 'certificate_missing', 'Its certificate is missing'))
  return { service }
})
agent.works.set('tls.issue', async function* ({ domain, tls }) {
  yield { begins: `Requesting a certificate for ${domain}`, name: 'certificate' }
  const warnings = [{ code: 'certificate_refused', message: REFUSED }]
  return { domain, tls, expires_at: '', warnings }
})

test('the overview names sites that are down by their domain, and what to do', async () => {
  const { page, problems } = await open('/')
  await page.getByText('1 site is down').waitFor({ timeout: 60_000 })
  await page.getByRole('link', { name: 'broken.example', exact: true }).waitFor()
  await page.getByText(`${PHP}: restart its PHP`).waitFor()
  await page.getByText('1 site is degraded').waitFor()
  expect(problems).toEqual([])
})

test('on the narrowest phone a site fits with its state and the time of its last visit', async () => {
  const { page, problems } = await open('/sites', { viewport: { width: 390, height: 844 } })
  await page.locator('time').first().waitFor()
  await page.clock.setFixedTime(Date.now() + 59 * 60_000)
  await page.reload()
  await page.locator('time').filter({ hasText: '59 min' }).first().waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  expect(problems).toEqual([])
})

test('the list shows the health of each site, and narrows down to those that are down', async () => {
  const { page, problems } = await open('/sites')
  const grid = page.getByRole('grid', { name: 'Sites' })
  await grid.getByRole('row', { name: 'broken.example' }).getByText('Down').waitFor()
  await grid.getByRole('row', { name: 'tls.example' }).getByText('Degraded').waitFor()
  await grid.getByRole('row', { name: 'well.example' }).getByText('Up').waitFor()

  await addFilter(page, 'Health', 'Down (1)')
  await page.waitForURL('**/sites?health=down')
  await page.getByText('1 of 3 sites').waitFor()
  expect(await grid.getByRole('row').count()).toBe(2)
  await page.getByRole('button', { name: 'Health: Down (1)', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Degraded (1)' }).check()
  await page.waitForURL('**/sites?health=down,degraded')
  expect(problems).toEqual([])
})

test('the page of a site says why it is down and since when, restarts its PHP, and shows automatically that it is up', async () => {
  const { page, problems } = await open('/sites?q=broken')
  await page.getByRole('link', { name: 'broken.example' }).click()
  const alert = page.getByRole('alert').filter({ hasText: PHP })
  await alert.getByText('Restart its PHP, and read its log if it fails again.').waitFor()
  await alert.getByText(/^Down for \d/).waitFor()

  await alert.getByRole('button', { name: 'Restart PHP' }).click()
  await alert.waitFor({ state: 'detached', timeout: 60_000 })

  await page.getByText('Up', { exact: true }).first().waitFor()
  expect(agent.asked.filter((call) => call === 'POST /exec')).toHaveLength(1)
  expect(problems).toEqual([])
})

test('a certificate that is refused again ends in amber, with the message of the authority', async () => {
  const { page, problems } = await open('/sites?q=tls.example')
  await page.getByRole('link', { name: 'tls.example' }).click()
  await page.getByRole('button', { name: 'Recheck and issue' }).click()
  await page.getByText('Done, with warnings').waitFor()
  await page.getByText(REFUSED).first().waitFor()
  const steps = page.getByRole('list', { name: 'Steps' })
  await steps.getByText('done, with a warning').waitFor()
  await page.getByRole('link', { name: 'View log' }).click()
  await page.waitForURL('**/operations/*')
  await page.getByText('Done, with warnings').waitFor()

  await page.goto(new URL('/operations', page.url()).href)
  await page.getByText('warnings', { exact: true }).first().waitFor()
  expect(problems).toEqual([])
})
