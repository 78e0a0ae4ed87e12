import { expect, test } from 'bun:test'
import { stateReader } from '#agent/readings/state.ts'
import { NO_MAIL } from '#shared/mail.ts'

const metrics = {
  cpu: 1,
  ram: { used: 1, total: 2, unit: 'MB' as const },
  disk: { used: 1, total: 2, unit: 'MB' as const },
  load: [0, 0, 0] as [number, number, number],
  uptime: 1,
  os: 'Debian',
  version: '1.0.0',
}
const NAMES = [
  'services',
  'sites',
  'web',
  'trash',
  'certificates',
  'usage',
  'maintenance',
  'jobTroubles',
  'access',
  'logins',
]

/** A reader whose parts answer with what `values` has for them. */
function reader() {
  const values: Record<string, unknown> = {}
  const mail = [{ domain: 'shop.example', ...NO_MAIL }]
  const read: string[] = []
  const parts = NAMES.map((name) => [
    name,
    async () => {
      read.push(name)
      time.now += values[name] === SLOW ? 3_000 : 0
      if (values[name] instanceof Error) throw values[name]
      return values[name] ?? []
    },
  ])
  const time = { now: 0 }
  const all = {
    clock: { elapsed: () => time.now },
    ...Object.fromEntries(parts),
    metrics: async () => metrics,
    mail: async () => ({ sites: mail }),
  } as Parameters<typeof stateReader>[0]
  return { state: stateReader(all), values, mail, read }
}

/** What a slow part answers. */
const SLOW = 'slow'

test('has no version when its parts take longer than a dashboard waits', async () => {
  const { state, values, read } = reader()
  values.web = SLOW

  expect(await state()).toEqual({ metrics, version: null })
  expect(read).toEqual(['services', 'sites', 'web'])
})

test('has the metrics, and the same version while nothing changes', async () => {
  const { state } = reader()

  const [one, other] = [await state(), await state()]

  expect(one).toEqual({ metrics, version: expect.stringMatching(/^[\w-]{43}$/) })
  expect(other).toEqual(one)
})

test.each(NAMES)('has another version when %s answers something else', async (name) => {
  const { state, values } = reader()
  const before = await state()

  values[name] = [{ domain: 'shop.example' }]

  expect((await state()).version).not.toBe(before.version)
})

test('has another version when mail waits, and not when some was sent', async () => {
  const { state, mail } = reader()
  const before = await state()

  mail[0] = { domain: 'shop.example', ...NO_MAIL, sent_day: 12 }
  const sent = await state()
  mail[0] = { domain: 'shop.example', ...NO_MAIL, queued: 1 }

  expect(sent).toEqual(before)
  expect((await state()).version).not.toBe(before.version)
})

test.each(NAMES)('has no version, but the metrics, when %s cannot be read', async (name) => {
  const { state, values } = reader()

  values[name] = new Error('refused')

  expect(await state()).toEqual({ metrics, version: null })
})

test('reads each part once for simultaneous calls', async () => {
  const { state, read } = reader()

  await Promise.all([state(), state(), state()])

  expect(read).toEqual(NAMES)
})
