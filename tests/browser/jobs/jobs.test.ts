// tier: gate
import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addSite, useFleet } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'

const { agent, dashboard, open } = useFleet()
const domain = 'shop.example'
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const nightly = {
  ...{ name: 'nightly', schedule: '0 3 * * *', command: 'wp shop import' },
  ...{ max_minutes: 60, enabled: true },
}
const state = { next_run_at: ago(-60), last_run: null, failures: 0 }
const failed = { started_at: ago(30), seconds: 2.5, result: 'failed', exit_status: 3 }
let asked: unknown[] = []
let jobs: object[] = []
let path = ''

beforeAll(async () => {
  agent.plan = { steps: [{ name: 'jobs', title: 'Applying the cron jobs', effects: [] }] }
  agent.works.set('site.jobs', async function* (params) {
    asked.push(params.jobs)
    jobs = (params.jobs as object[]).map((job) => ({ ...job, ...state }))
    yield 'Applying the cron jobs of shop.example'
    return params
  })
  agent.works.set('site.job-run', async function* (params) {
    asked.push(params)
    yield '214 products imported'
    return { ...params, seconds: 2 }
  })
  agent.works.set('wp.cron-run', async function* () {
    asked.push('due events')
    yield 'Running the due events of shop.example'
    return { domain, events: 2 }
  })
  agent.answers.set('/sites/jobs', () => Response.json({ stopped: null, jobs }))
  agent.answers.set('/sites/job-output', () =>
    Response.json({ run: failed, output: 'no <b>room</b>' }),
  )
  const call = { domain, php: '8.2', tls: 'none' }
  path = `/sites/${await addSite(dashboard, '/api/servers/1/sites', call)}?tab=jobs`
})
beforeEach(() => {
  asked = []
  jobs = []
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

test('a first job is added, with the next runs of its schedule and the rules of its fields', async () => {
  const { page, problems } = await open(path)

  await page.getByText('No cron jobs').waitFor()
  await press(page, 'Add job')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Weekly report')
  await dialog.getByText('Must have 1 to 32 of a-z 0-9 -').waitFor()
  await dialog.getByLabel('Name').fill('weekly-report')
  await dialog.getByLabel('Command').fill('wp report --send')
  await dialog.getByLabel('Schedule (UTC)').fill('0 25 * * *')
  await dialog.getByText('The hour must be between 0 and 23').waitFor()
  await dialog.getByLabel('Frequency').selectOption('0 3 * * 0')
  expect(
    await dialog.getByRole('region', { name: 'Next runs' }).getByRole('listitem').count(),
  ).toBe(3)
  expect(await inspect(page)).toEqual(CLEAN)
  await dialog.getByRole('button', { name: 'Add job' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'Every Sunday at 03:00' }).waitFor()

  const job = { name: 'weekly-report', schedule: '0 3 * * 0', command: 'wp report --send' }
  expect(asked).toEqual([[{ ...job, max_minutes: 60, enabled: true }]])
  expect(problems).toEqual([])
})

test('a job that fails shows how often and why, and runs now with its output', async () => {
  jobs = [{ ...nightly, ...state, last_run: failed, failures: 3 }]
  const { page, problems } = await open(path)

  await page.getByText('failed 3 times in a row').waitFor()
  await page.getByRole('button', { name: 'More actions of nightly' }).click()
  await page.getByRole('menuitem', { name: 'Show output' }).click()
  await page.getByRole('dialog').getByText('no <b>room</b>').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await press(page, 'Run nightly now')
  await page.getByText('214 products imported').waitFor()

  expect(asked).toEqual([{ domain, name: 'nightly' }])
  expect(problems).toEqual([])
})

test('a job is edited and removed without changing the others', async () => {
  jobs = [
    { ...nightly, ...state },
    { ...nightly, name: 'other', ...state },
  ]
  const { page, problems } = await open(path)
  const choose = async (name: string, item: string) => {
    await page.getByRole('button', { name: `More actions of ${name}` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }

  await choose('nightly', 'Edit job')
  await page.getByRole('dialog').getByLabel('Run on a schedule').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save job' }).click()
  await page.getByRole('cell', { name: 'on request' }).waitFor()
  await choose('other', 'Remove job')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove job' }).click()
  // While the dialog is open, no role is found behind it.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More actions of other' }).waitFor({ state: 'detached' })

  const edited = { ...nightly, enabled: false }
  expect(asked).toEqual([[edited, { ...nightly, name: 'other' }], [edited]])
  expect(problems).toEqual([])
})

test('overdue events of WordPress are shown, and run on request', async () => {
  const event = { hook: 'wp_version_check', due_at: ago(120), schedule: 'hourly', interval: 3600 }
  let overdue = 1
  agent.answers.set('/sites/wordpress-cron', () =>
    Response.json({ events: [event], total: 1, overdue, next_run_at: ago(-2), stopped: null }),
  )
  const { page, problems } = await open(path)

  await page.getByText('1 event overdue').waitFor()
  await page.getByRole('cell', { name: 'every 1 h' }).waitFor()
  overdue = 0
  await press(page, 'Run due events')
  await page.getByText('1 event overdue').waitFor({ state: 'detached' })

  expect(asked).toEqual(['due events'])
  expect(problems).toEqual([])
})

test('a suspended site says that its jobs are off', async () => {
  agent.answers.set('/sites/jobs', () =>
    Response.json({ stopped: 'suspended', jobs: [{ ...nightly, ...state, next_run_at: null }] }),
  )
  const { page, problems } = await open(path)

  await page.getByText('They run again when it is resumed').waitFor()
  expect(await page.getByRole('button', { name: 'Run nightly now' }).isDisabled()).toBe(true)
  expect(problems).toEqual([])
})
