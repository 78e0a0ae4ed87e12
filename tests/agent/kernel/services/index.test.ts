import { expect, test } from 'bun:test'
import { formOf, onUnits, servicesOf } from '#agent/kernel/services/index.ts'
import { readSources } from '#scripts/lib/sources.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const COMPARES = /\binit\b [!=]==|[!=]== '(?:systemd|direct)'/

test('nothing but the port and the needs of contracts asks whether systemd runs', async () => {
  const sources = (await readSources('.')).filter(({ path }) => /^(agent|shared)\//.test(path))

  const comparing = sources.filter(({ text }) => COMPARES.test(text)).map(({ path }) => path)

  expect(comparing).toEqual([
    'agent/kernel/services/service.ts',
    'agent/kernel/services/systemd.ts',
    'shared/kernel/needs.ts',
  ])
})

test.each<['systemd' | 'direct', unknown[]]>([
  ['systemd', ['units', 'shop', true, ['systemctl daemon-reload']]],
  ['direct', ['files', 'none', false, []]],
] as const)(
  '%s: has its entry of a table, and work on units where there are any',
  async (init, all) => {
    const host = await server(shop)
    host.init = init
    host.runs.length = 0
    const work = onUnits(async (_, user: string) => user, 'none')
    const services = servicesOf(host)

    await services.reread()

    const form = formOf(host, { systemd: 'units', direct: 'files' })
    const found: unknown[] = [form, await work(host, 'shop'), services.holdsSockets, host.ran]
    expect(found).toEqual(all)
  },
)
