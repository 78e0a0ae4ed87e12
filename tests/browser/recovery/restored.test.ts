// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { putRecovery, sealFiles } from '#dashboard/features/backups/recovery-file.ts'
import { callerOf } from '#tests/support/browser/backups.ts'
import { addServer, foundSite } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { Client } from '#tests/support/client.ts'
import { confirmKit } from '#tests/support/dashboard/backups.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import {
  ADMIN,
  dashboardFolder,
  type Running,
  startDashboard,
  sweep,
} from '#tests/support/processes.ts'
import { there } from '#tests/support/running.ts'

const MADE_AT = '2026-01-20T14:05:02.000Z'

setDefaultTimeout(60_000)
const agent = new FakeAgent()
let running: Running | undefined
let client: Client | undefined
const used = { client: () => there(client), running: () => there(running) }
const open = useBrowser(used)

/** A dashboard whose records were restored, on a machine where root has sealed nothing. */
beforeAll(async () => {
  const folder = await dashboardFolder()
  await Bun.write(`${folder}/restored`, `${MADE_AT}\n`)
  await putRecovery(folder, sealFiles({}, undefined, new Date()))
  running = await startDashboard(folder)
  client = new Client(running.url)
  await client.login(ADMIN)
  await confirmKit(callerOf(client))
  agent.sites = [foundSite('made.example')]
  const operation = { command: 'backup.create', domain: 'made.example', end: 'complete' }
  const created_at = Date.parse(MADE_AT) + 60_000
  agent.answers.set('/operations', () =>
    Response.json({ operations: [{ id: 'made', ...operation, created_at }], total: 1 }),
  )
  await addServer(used, agent, 'web-1')
})
afterAll(async () => {
  await running?.kill()
  await agent.stop()
  await sweep()
})

test('the overview shows what the servers know, until it is confirmed', async () => {
  const { page, problems } = await open('/')
  const card = page.locator('section', { hasText: 'After the restore' }).first()
  await card.getByRole('link', { name: 'made.example' }).waitFor()
  await card.getByText('backup.create made.example on web-1').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await button(page, 'Confirm all').click()

  await card.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a release key that is in no backup is said, with the command that saves it', async () => {
  const { page, problems } = await open('/backups?part=targets')
  await page.getByText('The release key is not saved in the backup').waitFor()
  await page.getByText('hosting-control save-release-key').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})
