// tier: full
import { expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'
import { inspect } from '#tests/support/browser/inspect.ts'
import { signIn } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'

const EMAIL = 'ben@example.com'
const PASSWORD = 'an own long password'
const CLEAN = { light: [], dark: [], too_wide: [] }
const SITE = '/sites/1?tab=access'

const { dashboard, open } = useShop()

/** An operator of the site, who has accepted an invitation. */
async function addBen(): Promise<number> {
  const client = dashboard.client()
  const made = (await client.post('/api/people', { name: 'Ben Okafor' })).body as {
    person: { id: number }
  }
  const { id } = made.person
  const invitation = { email: EMAIL, role: null, parts: [{ gives: 'operator', site_id: 1 }] }
  const sent = (await client.post(`/api/people/${id}/invitation`, invitation)).body as {
    invitation: { link: string }
  }
  const token = sent.invitation.link.split('#')[1]
  const accepted = { token, name: 'Ben Okafor', password: PASSWORD }
  await client.post('/api/invitations/accept', accepted)
  return id
}

test('a site and its server say who may do what, and a person what they may do and did', async () => {
  const id = await addBen()
  const { page, problems } = await open(SITE)
  const rows = page.getByRole('region', { name: 'Who may do what here' }).getByRole('row')
  const row = rows.filter({ hasText: EMAIL })
  await row.getByText('Operator on this site').waitFor()
  await row.getByText('May see everything here, and do the everyday work.').waitFor()
  await rows.filter({ hasText: 'Owner in the whole fleet' }).waitFor()
  const ofSite = await inspect(page)

  await row.getByRole('link', { name: 'Ben Okafor' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/people/${id}`)
  await page.getByRole('heading', { name: 'Ben Okafor' }).waitFor()
  await page.getByText('Ben Okafor is not signed in.').waitFor()
  await page.getByRole('link', { name: 'the site shop.example' }).waitFor()
  const { page: other, problems: others } = await open('/login', { signedIn: false })
  await signIn(other, { email: EMAIL, password: PASSWORD })
  await other.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.reload()
  await page.getByRole('region', { name: 'Sessions' }).getByText('Chrome').waitFor()
  await page.getByText('Sign in', { exact: true }).waitFor()
  const ofPerson = await inspect(page)

  await other.goto(SITE)
  await other.getByText('You cannot see this: admins of this site').waitFor()
  await settled(other)
  await page.goto('/servers/1')
  await rows.filter({ hasText: 'Owner in the whole fleet' }).waitFor()
  expect(await rows.filter({ hasText: EMAIL }).count()).toBe(0)
  const ofServer = await inspect(page)
  await page.goto('/people/999')
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  expect({ ofSite, ofPerson, ofServer, problems: [...problems, ...others] }).toEqual({
    ofSite: CLEAN,
    ofPerson: CLEAN,
    ofServer: CLEAN,
    problems: [],
  })
})
