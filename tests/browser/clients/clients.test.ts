// tier: gate
import { expect, test } from 'bun:test'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'
import { button, signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { useDemo } from '#tests/support/demo.ts'

const demo = useDemo(['--pace', '0', '--steady'])
const open = useBrowser(demo)
const EMAIL = 'anna@shop.example'
/** What a client does not have to know. */
const SYSTEM_WORDS = /\b(servers?|agents?|php|nginx|mariadb|mysql|docroot|ssh|sftp|root|cache)\b/i
const PASSWORD = 'an own long password'

/** Invites a client to a site of the demo, and returns it and the path of the link. */
async function invited() {
  const client = demo.client()
  const { sites } = (await client.get('/api/fleet/sites?status=active&managed=true')).body as {
    sites: { id: number; domain: string; staging: boolean }[]
  }
  const site = sites.find(({ staging }) => !staging)
  if (!site) throw new Error('The demo has no site in use')
  const { person } = (await client.post('/api/people', { name: 'Anna Weber' })).body as {
    person: { id: number }
  }
  const parts = [{ gives: 'client', site_id: site.id }]
  const body = { email: EMAIL, role: null, parts }
  const made = await client.post(`/api/people/${person.id}/invitation`, body)
  const { invitation } = made.body as { invitation: { link: string } }
  const { pathname, hash } = new URL(invitation.link, demo.running().url)
  return { site, link: `${pathname}${hash}` }
}

test('a client sees their site alone, asks for a restore, and the agency answers', async () => {
  const { site, link } = await invited()
  const { page, problems } = await open(link, { signedIn: false })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('Repeat password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/login')
  await signIn(page, { email: EMAIL, password: PASSWORD })
  await page.getByRole('heading', { level: 1, name: 'Your sites' }).waitFor()
  await page.getByRole('listitem').getByText('Last backup').waitFor()
  expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
    'Your sites',
  ])
  expect(await inspect(page)).toEqual(CLEAN)

  await page.goto('/servers')
  await page.waitForURL('**/your-sites')
  await page.getByRole('link', { name: site.domain }).click()
  await page.getByRole('heading', { level: 1, name: site.domain }).waitFor()
  const parts = ['Visitors', 'Backups', 'Updates', 'Copies for tests', 'People of yours']
  for (const name of parts)
    await page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
  await page.getByRole('article', { name: /^Website report: / }).waitFor()
  const shown = (await page.getByRole('main').allInnerTexts()).join('\n')
  expect(shown.match(SYSTEM_WORDS)).toBeNull()
  expect(await inspect(page)).toEqual(CLEAN)
  await button(page, 'Ask for a restore').click()
  await page.getByLabel('What happened').fill('The prices are gone')
  expect(await inspect(page)).toEqual(CLEAN)
  await button(page, 'Ask for restore').click()
  await page.getByText('Your agency was asked to restore a backup').waitFor()
  await page.getByRole('link', { name: /^Account of/ }).click()
  await page.getByText('Your agency gives you access to your sites.').waitFor()
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor()
  expect(await page.getByRole('heading', { name: 'API tokens' }).count()).toBe(0)
  expect(await inspect(page)).toEqual(CLEAN)

  const agency = await open(`/sites/${site.id}?tab=backups`)
  await agency.page.getByText('Anna Weber asks to restore a backup').waitFor()
  await agency.page.getByText('The prices are gone').waitFor()
  expect(await inspect(agency.page)).toEqual(CLEAN)
  await button(agency.page, 'Dismiss request').click()
  await agency.page.getByText('Anna Weber asks to restore').waitFor({ state: 'detached' })
  expect([problems, agency.problems]).toEqual([[], []])
})

test('a colleague sees the first sites, and all on request', async () => {
  const { page } = await open('/your-sites')
  const { sites } = (await demo.client().get('/api/client/sites')).body as { sites: unknown[] }
  const shown = page.getByRole('main').getByRole('article')
  await shown.first().waitFor()
  expect(await shown.count()).toBe(48)

  await button(page, `Show all ${sites.length}`).click()

  await page.waitForFunction(
    (all) => document.querySelectorAll('article').length === all,
    sites.length,
  )
  expect(sites.length).toBeGreaterThan(48)
})
