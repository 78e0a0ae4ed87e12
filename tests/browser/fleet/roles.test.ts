// tier: full
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { siteTabs } from '#dashboard/web/features/sites/site-search.ts'
import type { Grant, PartGrant } from '#shared/kernel/rights.ts'
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

/** The last one signs out. */
const OUTSIDE = ['/login', '/reset', '/second-factor']
/** Each page, and each tab of the pages that have some. */
const ADDRESSES: readonly (readonly [string, (client: Client) => Promise<string>])[] = [
  ...Object.entries(PLACES)
    .filter(([route]) => !OUTSIDE.includes(route))
    .map(([route, place]) => [route, place] as const),
  ...[
    ...siteTabs.slice(1).map((tab) => `/sites/1?tab=${tab}`),
    '/backups?part=targets',
    '/backups?part=kit',
  ].map((path) => [path, async () => path] as const),
]

const signedIn = (role: 'viewer' | 'operator' | 'admin') => signedInWith([role], [])

async function signedInWith(gives: readonly Grant[], parts: readonly PartGrant[]): Promise<Client> {
  const account = { email: `person-${Date.now()}@control.example`, password: PASSWORD }
  await addAccount(folder, { ...account, gives, parts })
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
    const path = await place(demo.client())
    await page.goto(path)
    await settled(page)
    const visited = [...refusals]

    if (role === 'viewer' || SHARED.includes(path)) await pressAll(page, path)

    expect({ visited, refusals, problems }).toEqual({ visited: [], refusals: [], problems: [] })
  })
})

const NOWHERE = { tag: null, server_id: null, site_id: null }
const OF_SITE: PartGrant = { ...NOWHERE, gives: 'operator', site_id: 1 }

interface PartPerson {
  grant: () => Promise<PartGrant>
  /** The routes whose pages are no part of it. */
  foreign: readonly string[]
  /** The pages whose controls are pressed. */
  pressed: readonly string[]
}

/** The tabs with controls that need the server of the site, or the whole fleet. */
const MIXED_TABS = ['wordpress', 'backups', 'staging', 'access'].map((tab) => `/sites/1?tab=${tab}`)

const PEOPLE: Record<string, PartPerson> = {
  'an operator of one site': {
    grant: async () => OF_SITE,
    foreign: ['/servers/$server_id'],
    pressed: [
      '/',
      '/sites',
      '/sites/1',
      '/sites/1?tab=domains',
      ...MIXED_TABS,
      '/operations',
      '/backups',
      '/trash',
      '/activity',
    ],
  },
  'an admin of the servers with a tag': {
    grant: async () => ({ ...NOWHERE, gives: 'admin', tag: await firstTag() }),
    foreign: [],
    pressed: ['/servers/1', '/sites/1', ...MIXED_TABS, '/activity'],
  },
}

/** Returns a tag of the first server, which has the first site. */
async function firstTag(): Promise<string> {
  const { body } = await demo.client().get('/api/servers/1')
  return Object(Object(body).server).tags[0]
}

describe.each(Object.entries(PEOPLE))('for %s', (_, { grant, foreign, pressed }) => {
  let client: Client
  beforeAll(async () => {
    client = await signedInWith([], [await grant()])
    const body = { type: 'cache.purge', params: {}, targets: { site_ids: [1] } }
    await client.post('/api/bulk-operations', body)
  })

  const own = ADDRESSES.filter(([route]) => !foreign.includes(route))
  test.each(own)('%s has no refused call', async (_, place) => {
    const path = await place(client)
    const { page, problems } = await openAs(client)
    const refusals = watchRefusals(page)
    await page.goto(path)
    await settled(page)
    const visited = [...refusals]

    if (pressed.includes(path)) await pressAll(page, path)

    expect({ visited, refusals, problems }).toEqual({ visited: [], refusals: [], problems: [] })
  })
})

test('pages beyond the parts of an account say so', async () => {
  const { page } = await openAs(await signedInWith([], [OF_SITE]))
  await page.goto('/servers/1')
  await page.getByText('You have no access to this server').waitFor()
  await page.goto('/people')
  await page.getByText('You cannot see people').waitFor()
})

test('an account without a grant sees whom to ask', async () => {
  const { page, problems } = await openAs(await signedInWith([], []))
  const refusals = watchRefusals(page)
  await page.goto('/sites')
  await page.getByText('Nobody has given you access yet').waitFor()
  await page.getByRole('link', { name: 'Open account' }).click()
  await page.getByText('Your account has no role').waitFor()
  await settled(page)

  expect({ refusals, problems }).toEqual({ refusals: [], problems: [] })
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
