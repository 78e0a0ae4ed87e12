import { expect, test } from 'bun:test'
import { inUse } from '#agent/os/as-site/slice.ts'
import { streamDatabase } from '#agent/os/database/dump.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

test('lists and dumps the tables in one turn: no import of the site runs in between', async () => {
  const host = await server(shop)
  const order: string[] = []
  const imports: Promise<unknown>[] = []
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const output = await run(argv, options)
    order.push('list')
    imports.push(inUse(host, shop.user, async () => order.push('import')))
    return output
  }

  const dump = await streamDatabase(host, shop.user, 1000, async () => {
    order.push('dump')
    return { code: 0, stderr: '', bytes: 1, sha256: 'x', end: '-- Dump completed\n' }
  })

  await Promise.all(imports)
  expect(order).toEqual(['list', 'dump', 'import'])
  expect(dump.names).toEqual(['wp_options'])
})
