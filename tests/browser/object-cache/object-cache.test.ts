// tier: gate
import { expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'

const { agent, open } = useShop()
const asked: unknown[] = []
const state = {
  ...{ memory: null as number | null, limit: null as number | null, drop_in: 'none', other: '' },
  numbers: null as Record<string, number> | null,
}
const path = '/sites/1?tab=php'

agent.works.set('site.object-cache', async function* ({ memory }) {
  asked.push(memory)
  const isOn = memory !== null
  const numbers = isOn
    ? { used: 9_437_184, objects: 4210, hits: 900, misses: 100, evicted: 0 }
    : null
  const limit = memory === null ? null : Number(memory)
  Object.assign(state, { memory: limit, limit, numbers, drop_in: isOn ? 'own' : 'none' })
  yield 'Starting the object cache'
  return { status: 'ok', domain: 'shop.example', memory }
})
agent.answers.set('/sites/object-cache', () =>
  Response.json({ ...state, other: state.other || null }),
)
agent.plan = { steps: [{ name: 'record', title: 'Recording the site', effects: [] }] }

test('the object cache is switched on with a size, shows its use, and is switched off', async () => {
  const { page, problems } = await open(path)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const confirm = async (name: string) => {
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  await page.getByText('Read from the database').waitFor()
  await press('Switch object cache on')
  const sizes = page.getByLabel('Memory').locator('option')
  expect(await sizes.allTextContents()).toEqual(['16 MB', '32 MB', '64 MB', '128 MB'])
  await page.getByLabel('Memory').selectOption('128')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Apply object cache')
  await page.goto(page.url().replace(/\/sites.*/, path))
  await page.getByText('of 128 MB, 4,210 objects').waitFor()
  await page.getByText('90 % of 1,000 reads').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)

  await press('Switch object cache off')
  await confirm('Switch object cache off')
  await page.goto(page.url().replace(/\/sites.*/, path))
  await page.getByText('Read from the database').waitFor()
  expect(asked).toEqual([128, null])
  expect(problems).toEqual([])
})

test('a drop-in of another plugin is named', async () => {
  Object.assign(state, { drop_in: 'other', other: 'Redis Object Cache' })
  const { page, problems } = await open(path)

  await page.getByText('In the object cache of Redis Object Cache').waitFor()
  expect(problems).toEqual([])
})
