// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { addSite, foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { copyingAgent } from '#tests/support/dashboard/copies.ts'

const { agent, given } = copyingAgent()
const { dashboard, open } = useFleet({ agent })

agent.sites = [foundSite('shop.example')]
const usual = agent.works.get('site.clone')
agent.works.set('site.clone', (params) => {
  agent.sites = [...agent.sites, foundSite(String(params.domain))]
  if (!usual) throw new Error('no work')
  return usual(params)
})
agent.works.set('staging.password', async function* (params) {
  given.push({ 'staging.password': params })
  yield 'Changing the password'
  return { status: 'ok', domain: params.domain }
})

beforeAll(async () => {
  const from = { kind: 'site', site_id: 1 }
  const staging = { domain: 'staging.shop.example', from, staging: true }
  await addSite(dashboard, '/api/servers/1/sites/clone', staging)
})

test('the password of a staging site is changed, and the new one shown once', async () => {
  const { page, problems } = await open('/sites/1?tab=staging')
  const show = page.getByRole('button', { name: 'Show password' }).first()
  await show.click()
  const shown = page.getByRole('status', { name: 'the staging password' })
  const former = await shown.textContent()
  await page.reload()
  await page.getByRole('button', { name: 'Change password…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The former one no longer works').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  if (Bun.env.SHOT) await page.screenshot({ path: `${Bun.env.SHOT}/staging.png` })

  await dialog.getByRole('button', { name: 'Change password' }).click()

  await shown.waitFor()
  const changed = await shown.textContent()
  expect(changed).toMatch(/^[\w-]{30}$/)
  expect(changed).not.toBe(former)
  const sent = given.flatMap((each) => each['staging.password'] ?? [])
  expect(sent).toEqual([
    { domain: 'staging.shop.example', password_hash: expect.stringMatching(/^\{SSHA\}/) },
  ])
  await page.reload()
  await show.waitFor()
  expect(await shown.count()).toBe(0)
  expect(problems).toEqual([])
})
