// tier: full
import { expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { PNG } from '#tests/support/dashboard/logos.ts'
import { useDemo } from '#tests/support/demo.ts'

const demo = useDemo()
const open = useBrowser(demo)

test('the branding is changed, and refuses a file that is no image', async () => {
  const { page, problems } = await open('/settings')
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'Branding' }) })
  await card.getByLabel('Name of the agency').fill('Smith & Sons')
  await card.getByLabel('Colour').fill('#ffee00')
  await card.getByLabel('Text at the end').fill('Thank you.\nSee you soon.')
  await card.getByRole('button', { name: 'Save branding' }).click()
  await page.getByText('The branding is saved').waitFor()

  const choose = (name: string, mimeType: string, buffer: Buffer) =>
    card.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
  await choose('logo.png', 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
  await page.getByText('Must be a PNG, JPEG or WebP image').waitFor()
  await choose('logo.png', 'image/png', PNG)
  await page.getByText('The logo is saved').waitFor()

  expect((await demo.client().get('/api/fleet/branding')).body).toMatchObject({
    branding: { name: 'Smith & Sons', color: '#ffee00', text_color: '#000000' },
  })
  expect(problems).toEqual([])
})

test('the report fits a phone, and is printed without the page around it', async () => {
  const phone = { viewport: { width: 390, height: 844 } }
  const { page, problems } = await open('/sites/1?tab=report', phone)
  const report = page.getByRole('article', { name: /^Website report: / })
  await report.getByText('Availability').first().waitFor()
  const logo = report.getByRole('img', { name: 'Logo of Smith & Sons' })
  expect(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(20)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)

  const before = await report.getAttribute('aria-label')
  await page.getByLabel('Month').selectOption({ index: 2 })
  await page.waitForFunction(
    (label) => document.querySelector('article')?.getAttribute('aria-label') !== label,
    before,
  )

  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: 700, height: 1000 })
  const shown = await Promise.all(
    [report, page.getByLabel('Month'), page.getByRole('heading', { level: 1 })].map((part) =>
      part.isVisible(),
    ),
  )
  expect(shown).toEqual([true, false, false])
  expect((await report.boundingBox())?.y).toBe(0)
  expect(problems).toEqual([])
})

test('recipients are saved, and a dashboard without an SMTP server says so', async () => {
  const { page, problems } = await open('/sites/1?tab=report')
  await page.getByText('No mail can be sent').waitFor()
  await page.getByRole('button', { name: 'Edit recipients' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Send the report of each month').check()
  await dialog.getByLabel('Recipients').fill('owner')
  await dialog.getByRole('button', { name: 'Save recipients' }).click()
  await dialog.getByText('Must be an e-mail address').waitFor()
  await dialog.getByLabel('Recipients').fill('owner@shop.example, office@shop.example')
  await dialog.getByRole('button', { name: 'Save recipients' }).click()

  await page
    .getByText('The report of each month is sent to owner@shop.example, office@shop.example.')
    .waitFor()
  expect(problems).toEqual([])
})

test('an address is added on all sites at once, after a plan', async () => {
  const { page, problems } = await open('/settings')
  await page.getByRole('button', { name: 'Change recipients' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Review change' }).click()
  await dialog.getByText('Add or remove an address, or turn the reports on').waitFor()
  await dialog.getByLabel('Addresses to add').fill('books@agency.example')
  await dialog.getByLabel('Turn reports on').check()
  await dialog.getByRole('button', { name: 'Review change' }).click()
  const plan = dialog.getByRole('region', { name: 'Plan' })
  await plan.getByRole('listitem').first().waitFor()
  const planned = await plan.getByRole('listitem').count()
  expect(planned).toBeGreaterThan(1)
  await dialog.getByRole('button', { name: `Change ${planned} sites` }).click()
  await page.getByText(`The recipients of ${planned} sites are changed`).waitFor()

  await page.goto('/sites/1?tab=report')
  await page.getByText(/^The report of each month is sent to .*books@agency\.example\./).waitFor()
  expect(problems).toEqual([])
})
