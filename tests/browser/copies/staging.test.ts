// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { callerOf } from '#tests/support/browser/backups.ts'
import { addServer, addSite, foundSite } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { checkedTarget, confirmKit } from '#tests/support/dashboard/backups.ts'
import { copyingAgent } from '#tests/support/dashboard/copies.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const { agent, given } = copyingAgent()

beforeAll(async () => {
  agent.sites = [foundSite('shop.example')]
  const usual = agent.works.get('site.clone')
  agent.works.set('site.clone', (params) => {
    agent.sites = [...agent.sites, foundSite(String(params.domain))]
    if (!usual) throw new Error('no work')
    return usual(params)
  })
  const replaced = { at: '2026-01-01T00:00:00.000Z', until: '2126-01-08T00:00:00.000Z' }
  for (const name of ['site.refresh', 'site.push'])
    agent.works.set(name, async function* (params) {
      given.push({ [name]: params })
      yield 'Replacing the files'
      const addresses = { replaced: 7, left: [] }
      return { status: 'ok', domain: params.domain, ...replaced, addresses }
    })
  agent.works.set('site.compare', async function* ({ domain, from }) {
    yield 'Comparing'
    const rows = { live_rows: 10, staging_rows: 12, live_changed: false, staging_changed: false }
    const one = { count: 1, examples: ['index.php'] }
    return {
      ...{ status: 'ok', domain, from },
      files: {
        added: { count: 2, examples: ['wp-content/a.css', 'wp-content/b.css'] },
        ...{ changed: one, removed: { count: 0, examples: [] }, live_changed: one },
        live_known: true,
      },
      tables: [
        { name: 'wp_posts', ...rows, staging_changed: true },
        { name: 'wp_orders', ...rows, live_changed: true },
        { name: 'wp_terms', ...rows },
      ],
    }
  })
  agent.plan = { steps: [{ name: 'files', title: 'Copying the files', effects: [] }] }
  await addServer(dashboard, agent, 'web-1')
  const caller = callerOf(dashboard.client())
  await confirmKit(caller)
  await checkedTarget(caller, 1)
  const { text } = await dashboard.client().post('/api/servers/1/sites/1/backups', {})
  expect(text).toContain('event: complete')
})
afterAll(() => agent.stop())

const clones = () => given.flatMap((each) => each['site.clone'] ?? [])

test('a staging site is created from its tab, says what it is, and shows its password', async () => {
  const { page, problems } = await open('/sites/1?tab=staging')
  await button(page, 'Create staging site').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Visitors need a user name and a password').waitFor()
  expect(await dialog.getByLabel('Address').inputValue()).toBe('staging.shop.example')
  await dialog.getByText('Plan: 1 step').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await dialog.getByRole('button', { name: 'Create staging site' }).click()

  await page.getByRole('heading', { name: 'staging.shop.example', level: 1 }).waitFor()
  await page.getByText('1,204 addresses changed; 3 left').waitFor()
  await page.getByText('Staging of shop.example').waitFor()
  await page.getByText('staging.shop.example is ready').waitFor()
  await page.getByText('Show what still has the old address').click()
  await page.getByText('wp_options.option_value').waitFor()
  await button(page, 'Show password').first().click()
  const shown = page.getByRole('status', { name: 'the staging password' })
  expect(await shown.textContent()).toMatch(/^[\w-]{30}$/)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await page.getByRole('link', { name: 'Open live site' }).click()
  await page.getByRole('tab', { name: 'Staging' }).click()
  await page.getByRole('heading', { name: 'staging.shop.example', level: 2 }).waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  expect(clones()).toMatchObject([
    { domain: 'staging.shop.example', from: { kind: 'site', domain: 'shop.example' } },
  ])
})

test('a staging site is refreshed, and what is chosen of it is pushed to the live site', async () => {
  const { page, problems } = await open('/sites/1?tab=staging')
  given.length = 0
  await button(page, 'Refresh from live').click()
  await page.getByText('Changes that were made on the staging site are replaced').waitFor()
  await page.getByRole('dialog').getByText('Plan: 1 step').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await button(page, 'Refresh staging site').click()
  await page.getByRole('heading', { name: 'Refresh staging.shop.example' }).waitFor()
  await page.goto('/sites/1?tab=staging')

  await button(page, 'Push to live').click()
  const dialog = page.getByRole('dialog')
  const box = (name: string) => dialog.getByRole('checkbox', { name })
  await dialog.getByText('On the staging site: 2 added, 1 changed').waitFor()
  const [files, table] = [box('Files'), (name: string) => box(`Push ${name}`)]
  const chosen = [files, table('wp_posts'), table('wp_orders')].map((each) => each.isChecked())
  expect(await Promise.all(chosen)).toEqual([false, true, false])
  await files.check()
  await dialog.getByText('Changed files of the live site are lost').waitFor()
  await dialog.getByText('1 table has not changed since the copy.').waitFor()
  await table('wp_orders').check()
  await dialog.getByText('Changes on the live site are lost').waitFor()
  await dialog.getByText('Plan: 1 step').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await dialog.getByRole('button', { name: 'Push to live' }).click()

  await page.getByRole('heading', { name: 'Push the staging site to shop.example' }).waitFor()
  await page.getByText('7 addresses changed; none left').waitFor()
  expect(given.flatMap((each) => each['site.push'] ?? [])).toEqual([
    {
      ...{ domain: 'shop.example', from: 'staging.shop.example', files: true },
      ...{ tables: ['wp_posts', 'wp_orders'], overwrite: ['wp_orders'] },
    },
  ])
  expect(problems).toEqual([])
})

test('a push to a live site without a recent backup needs a choice', async () => {
  agent.sites = [...agent.sites, foundSite('fresh.example')]
  const at = '/api/servers/1/sites'
  const live = await addSite(dashboard, at, { domain: 'fresh.example', php: '8.2' })
  const from = { kind: 'site', site_id: live }
  await addSite(dashboard, `${at}/clone`, { domain: 'staging.fresh.example', from, staging: true })
  given.length = 0
  await callerOf(dashboard.client()).call('PUT', '/api/settings/backup_first', { value: false })
  const { page } = await open(`/sites/${live}?tab=staging`)
  await button(page, 'Push to live').click()
  const dialog = page.getByRole('dialog')
  const push = dialog.getByRole('button', { name: 'Push to live' })
  await dialog.getByText('fresh.example has no backup of the last hour').waitFor()
  expect(await push.isEnabled()).toBe(false)
  await settled(page)
  expect(await inspect(page)).toEqual({ light: [], dark: [], too_wide: [] })

  await dialog.getByLabel('Push without a backup').check()
  await dialog.getByText('Plan: 1 step').waitFor()
  await push.click()

  await page.getByRole('heading', { name: 'Push the staging site to fresh.example' }).waitFor()
  await page.getByText('7 addresses changed; none left').waitFor()
  const pushed = given.flatMap((each) => each['site.push'] ?? [])
  expect(pushed).toMatchObject([{ domain: 'fresh.example', from: 'staging.fresh.example' }])
})

test('a backup is restored as a new site, whose address must be free', async () => {
  const { page, problems } = await open('/sites/1?tab=backups')
  given.length = 0
  await page.getByRole('button', { name: /^More actions of the backup/ }).click()
  await page.getByRole('menuitem', { name: 'Restore as a new site…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('www.shop.example')
  await dialog.getByText('The domain is already taken').waitFor()
  expect(await dialog.getByRole('button', { name: 'Restore backup' }).isEnabled()).toBe(false)
  await dialog.getByLabel('Address').fill('again.example')
  await dialog.getByText('Plan: 1 step').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await dialog.getByRole('button', { name: 'Restore backup' }).click()

  await page.getByRole('heading', { name: 'again.example', level: 1 }).waitFor()
  await page.getByText('again.example is ready').waitFor()
  expect(clones()).toMatchObject([
    { domain: 'again.example', from: { kind: 'backup', repository: 'shop' } },
  ])
  expect(problems).toEqual([])
})

test('a site is cloned from its menu with another version of PHP', async () => {
  const { page, problems } = await open('/sites/1')
  given.length = 0
  await page.getByRole('button', { name: 'More actions of shop.example' }).click()
  await page.getByRole('menuitem', { name: 'Clone site…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('clone.example')
  await dialog.getByLabel('Protect as a staging site').check()
  await dialog.getByText('Plan: 1 step').waitFor()
  await dialog.getByRole('button', { name: 'Create staging site' }).click()

  await page.getByRole('heading', { name: 'clone.example', level: 1 }).waitFor()
  await page.getByText('clone.example is ready').waitFor()
  expect(clones()).toMatchObject([{ domain: 'clone.example', staging: { of: 'shop.example' } }])
  expect(problems).toEqual([])
})
