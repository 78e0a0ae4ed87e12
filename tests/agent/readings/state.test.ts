import { expect, test } from 'bun:test'
import type { Ask } from '#agent/calls/reading.ts'
import { stateReader } from '#agent/readings/state.ts'
import { NO_MAIL } from '#shared/mail.ts'
import { REPORTED } from '#shared/report.ts'

const metrics = {
  cpu: 1,
  ram: { used: 1, total: 2, unit: 'MB' as const },
  disk: { used: 1, total: 2, unit: 'MB' as const },
  load: [0, 0, 0] as [number, number, number],
  uptime: 1,
  os: 'Debian',
  version: '1.0.0',
}
const PARTS = REPORTED.filter((path) => path !== '/mail')

/** What a slow reading answers. */
const SLOW = 'slow'

/** A reader of a server whose readings answer with what `values` has for their paths. */
function reader() {
  const values: Record<string, unknown> = {}
  const mail = [{ domain: 'shop.example', ...NO_MAIL }]
  const read: string[] = []
  const ask: Ask = async (at): Promise<never> => {
    const path = at.slice('GET '.length)
    read.push(path)
    if (values[path] instanceof Error) throw values[path]
    time.now += values[path] === SLOW ? 3_000 : 0
    if (path === '/mail') return { sites: mail } as never
    return (path === '/metrics' ? metrics : (values[path] ?? [])) as never
  }
  const time = { now: 0 }
  const readState = stateReader({ clock: { elapsed: () => time.now } })
  return { state: () => readState(ask), values, mail, read }
}

test('has the metrics, and the same version while nothing changes', async () => {
  const { state } = reader()

  const [one, other] = [await state(), await state()]

  expect(one).toEqual({ metrics, version: expect.stringMatching(/^[\w-]{43}$/) })
  expect(other).toEqual(one)
})

test.each(PARTS)('has another version when %s answers something else', async (name) => {
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

test.each(PARTS)('has no version, but the metrics, when %s cannot be read', async (name) => {
  const { state, values } = reader()

  values[name] = new Error('refused')

  expect(await state()).toEqual({ metrics, version: null })
})

test('reads each part once for simultaneous calls', async () => {
  const { state, read } = reader()

  await Promise.all([state(), state(), state()])

  expect(read.filter((path) => path !== '/metrics')).toEqual([...REPORTED])
})

test('has no version when its parts take longer than a dashboard waits', async () => {
  const { state, values, read } = reader()
  values['/web'] = SLOW

  expect(await state()).toEqual({ metrics, version: null })
  expect(read).toEqual(['/metrics', '/services', '/sites', '/web'])
})
