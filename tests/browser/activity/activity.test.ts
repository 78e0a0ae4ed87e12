// tier: gate
import { expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

test('the record is verified and exported', async () => {
  await dashboard.client().post('/api/servers', { hostname: 'a.example' })
  const { page, problems } = await open('/activity')
  const state = page.getByRole('status').filter({ hasText: 'The record is complete' })
  await state.waitFor()

  const verified = page.waitForResponse((answer) => answer.url().endsWith('/verify'))
  await page.getByRole('button', { name: 'Verify record' }).click()
  expect(await (await verified).json()).toMatchObject({ ok: true, problem: null })
  await state.waitFor()

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export record' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^activity-.*\.jsonl$/)
  const lines = (await Bun.file(await download.path()).text()).trimEnd().split('\n')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ record: 'hosting-control' })
  expect(Object.keys(JSON.parse(lines.at(-1) ?? ''))).toEqual(['checkpoint'])
  expect(problems).toEqual([])
})

test('entries are filtered by source, address and day', async () => {
  const { page, problems } = await open('/activity')
  const rows = page.getByRole('row')
  await page.getByRole('cell', { name: 'Add server' }).first().waitFor()

  const choose = async (label: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('button', { name: label, exact: true }).click()
  }
  await choose('Source')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('No activity').waitFor()
  expect(new URL(page.url()).searchParams.get('via')).toBe('schedule')

  await page.getByRole('button', { name: 'Remove filter Source' }).click()
  await choose('Before day (UTC)')
  await page.getByLabel('Before day (UTC)').fill('2026-01-02')
  await page.getByRole('button', { name: 'Set filter' }).click()
  await page.getByText('No activity').waitFor()
  expect(new URL(page.url()).searchParams.get('until')).toBe('2026-01-02')

  await page.getByRole('button', { name: 'Remove filter Before day (UTC)' }).click()
  await choose('IP address')
  await page.getByLabel('IP address').fill('127.0.0.1')
  await page.keyboard.press('Enter')
  await rows.nth(1).waitFor()
  expect(new URL(page.url()).searchParams.get('address')).toBe('127.0.0.1')
  expect(problems).toEqual([])
})
