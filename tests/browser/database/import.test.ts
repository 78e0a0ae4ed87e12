// tier: gate
import { expect, test } from 'bun:test'
import { PART_BYTES } from '#shared/database/site-database.ts'
import { useShop } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'

const { agent, open } = useShop()
const domain = 'shop.example'
const dump = Buffer.from(Array.from({ length: PART_BYTES + 10 }, (_, at) => at % 251))
const parts: Buffer[] = []
const asked: Record<string, unknown>[] = []
const uploads = new Set<string>()
let received: number[] = []
/** Called before the answer to each part. */
let hold = async (_part: number) => undefined as unknown
const path = '/sites/1?tab=database'

agent.plan = { steps: [{ name: 'database', title: 'Importing the dump', effects: [] }] }
agent.answers.set('/sites/database-upload', async (request) => {
  const { upload, part, data } = await request.json()
  uploads.add(upload)
  received.push(part)
  await hold(part)
  parts[part] = Buffer.from(data, 'base64')
  return Response.json({ part })
})
agent.works.set('database.import', async function* (params) {
  asked.push(params)
  yield 'Imported 1 MB of SQL'
  const at = new Date().toISOString()
  return { domain, at, until: at, bytes: 7 }
})

test('a dump is uploaded in parts and imported, and an empty file is refused', async () => {
  const { page, problems } = await open(path)

  await page.getByRole('button', { name: 'Import database' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Import database' })
  const file = (name: string, buffer: Buffer) => ({ name, buffer, mimeType: 'application/gzip' })
  await dialog.getByLabel('Dump', { exact: true }).setInputFiles(file('empty.sql', Buffer.from('')))
  await dialog.getByText('The file is empty').waitFor()
  expect(await submit.isDisabled()).toBe(true)
  await dialog.getByLabel('Dump', { exact: true }).setInputFiles(file('shop.sql.gz', dump))
  await dialog.getByLabel('Remove all current tables first').click()
  expect(await inspect(page)).toEqual(CLEAN)
  await submit.click()
  await page.getByText('Imported 1 MB of SQL').waitFor()

  expect(Buffer.concat(parts).equals(dump)).toBe(true)
  const [upload] = uploads
  expect(asked).toEqual([{ domain, upload, part_count: 2, packed: true, replace: true }])
  expect(problems).toEqual([])
})

test('Cancel ends an upload, and imports nothing', async () => {
  const { page, problems } = await open(path)
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  const { promise: second, resolve: arrived } = Promise.withResolvers<void>()
  received = []
  asked.length = 0
  hold = async (part) => {
    if (part !== 1) return
    arrived()
    await held
  }
  const buffer = Buffer.alloc(3 * PART_BYTES, 'x')
  const file = { name: 'shop.sql', buffer, mimeType: 'application/sql' }

  await page.getByRole('button', { name: 'Import database' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Dump', { exact: true }).setInputFiles(file)
  await dialog.getByRole('button', { name: 'Import database' }).click()
  await second
  await dialog.getByRole('progressbar', { name: 'Upload' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  answer()
  // The time in which the third part, or the import, would come.
  await Bun.sleep(1000)

  expect([received, asked]).toEqual([[0, 1], []])
  await page.getByRole('button', { name: 'Import database' }).click()
  expect(await dialog.getByRole('progressbar').count()).toBe(0)
  expect(problems).toEqual([])
})
