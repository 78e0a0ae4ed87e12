// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { callerOf } from '#tests/support/browser/backups.ts'
import { addServer, foundSite, reportSites } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { checkedTarget, confirmKit } from '#tests/support/dashboard/backups.ts'
import { copyingAgent } from '#tests/support/dashboard/copies.ts'
import { movesSites } from '#tests/support/dashboard/moves.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const [one, two] = [copyingAgent(), copyingAgent()]
/** The states in which the servers were asked to serve the site. */
const asked: Parameters<typeof movesSites>[2] = []

beforeAll(async () => {
  const php = { name: 'php8.2', status: 'running' } as const
  for (const { agent } of [one, two]) {
    agent.services = [php]
  }
  one.agent.sites = [foundSite('shop.example')]
  // The site moves back to where its copy was deleted.
  two.agent.answers.set('/trash', () => Response.json({ trash: [] }))
  for (const [name, { agent, given }] of Object.entries({ one, two })) {
    movesSites(name as 'one' | 'two', { agent, given }, asked)
    reports(agent)
  }
  await addServer(dashboard, one.agent, 'web-1')
  await addServer(dashboard, two.agent, 'web-2')
  const caller = callerOf(dashboard.client())
  await confirmKit(caller)
  await checkedTarget(caller, 1)
})
afterAll(() => Promise.all([one, two].map(({ agent }) => agent.stop())))

/** A server that only forwards does not report the site. */
function reports(agent: FakeAgent): void {
  const usual = agent.works.get('site.switch')
  if (!usual) throw new Error('no work')
  agent.works.set('site.switch', (params, ...rest) => {
    if (params.state === 'parted') reportSites(agent, [])
    if (params.state === 'arrived') reportSites(agent, [foundSite('shop.example')])
    return usual(params, ...rest)
  })
}

const switches = () => asked.flatMap(([name, , state]) => (state ? [`${name} ${state}`] : []))

test('a site is moved from its menu, with its plan and its parts', async () => {
  const { page, problems } = await open('/sites/1')
  await page.getByRole('button', { name: /^More actions of/ }).click()
  await page.getByRole('menuitem', { name: 'Move to another server…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Plan: 11 steps').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await button(page, 'Move site').click()

  await page.getByText('Moved from web-1').waitFor()
  await page.getByText('Freezing shop.example').first().waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  expect(switches()).toEqual([
    ...['one leaving', 'one leaving', 'one frozen', 'one parted'],
    'two arrived',
  ])
})

test('it is moved back without its changes only if that is chosen', async () => {
  const { page, problems } = await open('/sites/1')
  asked.length = 0
  await button(page, 'Move back').click()
  const dialog = page.getByRole('dialog')
  const choice = dialog.getByRole('checkbox', { name: 'Discard the changes since the move' })
  await choice.check()
  await button(page, 'Move back without changes').waitFor()
  await choice.uncheck()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await button(page, 'Move site back').click()

  await page.getByText('Moved from web-2').waitFor()
  expect(asked.map(([, command]) => command)).toContain('site.catch-up')
  expect(switches()).toEqual([
    ...['one returning', 'two leaving', 'one returning', 'two leaving'],
    ...['two frozen', 'one arriving', 'two parted', 'one arrived'],
  ])
  expect(problems).toEqual([])
})

test('the move is confirmed, and the site is like any other', async () => {
  const { page, problems } = await open('/sites/1')
  asked.length = 0
  await button(page, 'Confirm move').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Visitors may lose the site').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await dialog.getByRole('button', { name: 'Confirm move' }).click()

  await page.getByText('Moved from web-2').waitFor({ state: 'detached' })
  expect(asked as unknown[]).toEqual([
    ['two', 'site.delete'],
    ['one', 'site.switch', 'settled'],
  ])
  expect(problems).toEqual([])
})

test('a move that a server did not let end is shown with its reason, and retried with one button', async () => {
  const { works } = two.agent
  const usual = works.get('site.switch')
  if (!usual) throw new Error('no work')
  works.set('site.switch', async function* (params, ...rest) {
    yield 'Trying'
    if (params.state !== 'arrived') return yield* usual(params, ...rest)
    throw new Refused({ error: 'Conflict', message: 'The disk is full' })
  })
  const caller = callerOf(dashboard.client())
  await (await caller.send('POST', '/api/servers/1/sites/1/move', { server_id: 2 })).text()
  const { page, problems } = await open('/sites/1')
  await page.getByText('The move between web-1 and web-2 has not ended').waitFor()
  await page.getByText('The disk is full.').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  works.set('site.switch', usual)

  await button(page, 'Retry now').click()

  await page.getByText('Moved from web-1').waitFor()
  await button(page, 'Retry now').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})
