// tier: full
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { siteTabs } from '#dashboard/web/features/sites/site-search.ts'
import { addAccount, setGrants } from '#tests/support/accounts.ts'
import { sessionOf, useBrowser } from '#tests/support/browser/pages.ts'
import { PLACES, startBulk } from '#tests/support/browser/places.ts'
import { pressAll, watchRefusals } from '#tests/support/browser/press.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { Client } from '#tests/support/client.ts'
import { useDemo } from '#tests/support/demo.ts'
import { temporaryFolder } from '#tests/support/processes.ts'

const PASSWORD = 'for a role of the demo'
const folder = await temporaryFolder('demo-roles')
const demo = useDemo(['--pace', '0', '--steady', '--data', folder])
const open = useBrowser(demo)

const OUTSIDE = ['/login', '/reset']
/** Each page, and each tab of the pages that have some. */
const ADDRESSES: readonly (readonly [string, () => Promise<string>])[] = [
  ...Object.entries(PLACES)
    .filter(([route]) => !OUTSIDE.includes(route))
    .map(([route, place]) => [route, () => place(demo.client())] as const),
  ...[
    ...siteTabs.slice(1).map((tab) => `/sites/1?tab=${tab}`),
    '/backups?part=targets',
    '/backups?part=kit',
  ].map((path) => [path, async () => path] as const),
]

async function signedIn(role: 'viewer' | 'operator' | 'admin'): Promise<Client> {
  const account = { email: `${role}-${Date.now()}@control.example`, password: PASSWORD }
  await addAccount(folder, { ...account, gives: [role] })
  const client = new Client(demo.running().url)
  const { status, text } = await client.login(account)
  if (status !== 200) throw new Error(`The login answered ${status}: ${text}`)
  return client
}

/** Opens a page as the account of the client. */
async function openAs(client: Client) {
  const opened = await open('/login', { signedIn: false })
  await opened.page.context().addCookies(sessionOf(client))
  return opened
}

const buttons = (page: Page) => page.locator('main button').allInnerTexts()

beforeAll(() => startBulk(demo.client()))

/** An operator presses what stands beside controls for other roles. */
const SHARED = [
  '/servers/1',
  '/people',
  '/settings',
  '/sites/1?tab=access',
  '/backups?part=targets',
]

describe.each(['viewer', 'operator'] as const)('for the role %s', (role) => {
  let client: Client
  beforeAll(async () => {
    client = await signedIn(role)
  })

  test.each(ADDRESSES)('%s offers nothing that is refused', async (_, place) => {
    const { page, problems } = await openAs(client)
    const refusals = watchRefusals(page)
    const path = await place()
    await page.goto(path)
    await settled(page)
    const visited = [...refusals]

    if (role === 'viewer' || SHARED.includes(path)) await pressAll(page, path)

    expect({ visited, refusals, problems }).toEqual({ visited: [], refusals: [], problems: [] })
  })
})

test('a viewer sees the settings, and cannot change them', async () => {
  const { page } = await openAs(await signedIn('viewer'))
  await page.goto('/settings')
  await settled(page)

  await page.getByText('Your role can view settings, not change them.').waitFor()
  expect(await page.getByLabel('Sync interval').isDisabled()).toBe(true)
  expect(await page.getByLabel('Shells of sites').isDisabled()).toBe(true)
  expect(await buttons(page)).not.toContain('Rotate key')
})

test('the palette offers a viewer no action on a site', async () => {
  const { page } = await openAs(await signedIn('viewer'))
  await page.goto('/sites/1')
  await settled(page)
  await page.keyboard.press('Control+k')

  await page.getByRole('dialog').getByRole('option', { name: 'Visit site' }).waitFor()

  const offered = await page.getByRole('dialog').getByRole('option').allInnerTexts()
  expect(
    offered.filter((name) => /Create site|Add server|Empty|Suspend|Log in/.test(name)),
  ).toEqual([])
})

test('a role that has changed meanwhile is reported, and the page fits the new one', async () => {
  const client = await signedIn('operator')
  const { body } = await client.get('/api/auth/me')
  const { page } = await openAs(client)
  await page.goto('/sites/1?tab=wordpress')
  await settled(page)
  const scan = page.getByRole('button', { name: 'Scan now' })
  await scan.waitFor()
  await setGrants(folder, { email: Object(Object(body).user).email, gives: ['viewer'] })

  await scan.click()

  await page.getByText('This needs the role operator').waitFor()
  await scan.waitFor({ state: 'detached' })
})
