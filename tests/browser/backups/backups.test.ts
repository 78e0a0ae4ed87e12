// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { callerOf } from '#tests/support/browser/backups.ts'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { backupAgent, confirmKit } from '#tests/support/dashboard/backups.ts'

const { agent, given } = backupAgent()
const { dashboard, open } = useFleet({ agent })

agent.sites = [foundSite('shop.example')]

beforeAll(async () => {
  await confirmKit(callerOf(dashboard.client()))
})

test('a target is added, and is checked from a server with live steps', async () => {
  const { page, problems } = await open('/backups?part=targets')
  await page
    .locator('[aria-current=step]')
    .getByRole('button', { name: 'Add target', exact: true })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Backup server')
  await dialog.getByLabel('Address').fill('http://backup.example/')
  await dialog.getByLabel('User').fill('hosting')
  await dialog.getByLabel('Password').fill('a password')
  await button(page, 'Add target').last().click()
  await dialog.getByText('Must begin with https://', { exact: true }).waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await dialog.getByLabel('Address').fill('https://backup.example:8000/')
  await button(page, 'Add target').last().click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('REST server, hosting at backup.example:8000').waitFor()

  await button(page, 'Check Backup server from a server').click()
  await button(page, 'Check target').last().click()

  await page.waitForURL('**/backups?part=targets&operation=*')
  await page.getByText('The target can be written and read').first().waitFor()
  await page.getByText('refuses deletion').waitFor()
  expect(given.at(-1)).toEqual({
    'backup.check': {
      target: {
        place: { kind: 'rest', url: 'https://backup.example:8000/', user: 'hosting', ca: '' },
        secret: 'a password',
      },
    },
  })
  await page.getByText('Set up backups').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('refuses deletion').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})

test('a target from which servers can delete has a warning and advice, and is removed', async () => {
  agent.works.set('backup.check', async function* () {
    yield 'The target can be written and read'
    return { status: 'ok', append_only: false }
  })
  const { page, problems } = await open('/backups?part=targets')
  const row = page.getByRole('row', { name: 'Disk' })
  const act = async (name: string) => {
    await button(page, 'More actions of Disk').click()
    await page.getByRole('menuitem', { name }).click()
  }
  await button(page, 'Add target').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Disk')
  await dialog.getByLabel('Kind').selectOption('Folder of the server')
  await dialog.getByLabel('Folder').fill('/mnt/backup')
  await button(page, 'Add target').last().click()
  await act('Check from a server')
  await button(page, 'Check target').click()
  await row.getByText('can be deleted by servers').waitFor()
  await row.getByText('Add a target on another machine.').waitFor()

  await act('Make default')
  await row.getByText('default', { exact: true }).waitFor()
  await act('Edit target')
  await dialog.getByLabel('Folder').fill('/mnt/other')
  await button(page, 'Save target').click()
  await row.getByText('not checked').waitFor()
  await page.reload()
  await row.getByText('not checked').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await button(page, 'More actions of Backup server').click()
  await page.getByRole('menuitem', { name: 'Make default' }).click()
  await page.getByText('Sites are backed up to Backup server now').waitFor()
  await act('Remove target')
  await button(page, 'Remove target').last().click()

  await row.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('the activity names what was done to kits and targets', async () => {
  const { page, problems } = await open('/activity')
  for (const name of [
    ...['Create recovery kit', 'Confirm recovery kit', 'Add backup target'],
    ...['Edit backup target', 'Remove backup target', 'Check backup target'],
  ])
    await page.getByRole('main').getByText(name, { exact: true }).first().waitFor()
  expect(problems).toEqual([])
})
