// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { addSite, useFleet } from '#tests/support/browser/fleet.ts'

const { dashboard, open } = useFleet()
const NAME = 'müller.example'
const ASCII = 'xn--mller-kva.example'

beforeAll(async () => {
  await addSite(dashboard, '/api/servers/1/sites', { domain: NAME, php: '8.2', tls: 'none' })
})

test.each(['/sites', '/operations', '/activity', '/servers/1'])(
  '%s shows an internationalised name as people write it',
  async (path) => {
    const { page, problems } = await open(path)

    await page.getByRole('main').getByText(NAME).first().waitFor()

    expect(await page.getByRole('main').textContent()).not.toContain('xn--')
    expect(problems).toEqual([])
  },
)

test('the page of a site has both forms of its name', async () => {
  const { page } = await open('/sites/1')

  await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
  await page.getByText(ASCII, { exact: true }).waitFor()
  await page.getByRole('button', { name: `More actions of ${NAME}` }).click()
  await page.getByRole('menuitem', { name: /^Delete/ }).click()
  await page.getByRole('dialog', { name: `Delete ${NAME}?` }).waitFor()
})

test('a part of the name is found in the list and in the palette', async () => {
  const { page, problems } = await open('/sites')

  await page.getByRole('searchbox').first().fill('üll')
  await page.getByRole('main').getByText(NAME).first().waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search/ }).pressSequentially('mül')
  await page.getByRole('option', { name: NAME }).click()

  await page.waitForURL('**/sites/1')
  expect(problems).toEqual([])
})
