// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { useMoves } from '#tests/support/browser/backups.ts'
import { addSite, foundSite } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { settled } from '#tests/support/browser/settled.ts'

const { dashboard, open, one, two } = useMoves()
const copy = 'staging.shop.example'

const usual = two.agent.works.get('site.clone')
two.agent.works.set('site.clone', (...call) => {
  two.agent.sites = [foundSite(copy)]
  if (!usual) throw new Error('no work')
  return usual(...call)
})

beforeAll(async () => {
  const from = { kind: 'site', site_id: 1 }
  await addSite(dashboard, '/api/servers/2/sites/clone', { domain: copy, from, staging: true })
})

test('a staging site on another server is moved to that of its live site, and then pushed', async () => {
  const { page, problems } = await open('/sites/1?tab=staging')
  await page.getByText('Needs both sites on one server').waitFor()
  await page.getByRole('button', { name: 'Move to live server' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('web-2 forwards visitors until you confirm the move').waitFor()
  await dialog.getByText('Plan: 11 steps').waitFor()
  await settled(page)
  const shown = { ...(await inspect(page)), problems }
  expect(shown).toEqual(FLAWLESS)

  await dialog.getByRole('button', { name: 'Move staging site' }).click()

  await page.getByRole('heading', { name: `Move ${copy}` }).waitFor()
  await page.getByText(/^Moved from web-2 on/).waitFor()
  await page.goto('/sites/1?tab=staging')
  await page.getByRole('button', { name: 'Push to live' }).waitFor()
  const [received] = one.given.flatMap((each) => each['site.receive'] ?? [])
  expect(received).toMatchObject({ domain: copy, staging: { of: 'shop.example' } })
  expect(problems).toEqual([])
})
