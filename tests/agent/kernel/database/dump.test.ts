import { describe, expect, test } from 'bun:test'
import { dumpDatabase, streamDatabase } from '#agent/kernel/database/dump.ts'
import { dumpBytes } from '#agent/kernel/database/dump-bytes.ts'
import { withSliceInUse } from '#agent/kernel/sandbox/slice.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const END = '-- Dump completed\n'

/** What happens in which order, with an import that waits for its turn as soon as the tables are listed. */
async function ordered(work: (host: FakeHost, order: string[]) => Promise<unknown>) {
  const host = await server(shop)
  const order: string[] = []
  const imports: Promise<unknown>[] = []
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const output = await run(argv, options)
    if (argv[0] === 'mariadb') {
      order.push('list')
      imports.push(withSliceInUse(host, shop.user, async () => order.push('import')))
    }
    if (argv[0] === 'xargs') order.push('dump')
    return output
  }
  await work(host, order)
  await Promise.all(imports)
  return order
}

describe('no import of the site runs between the list of the tables and', () => {
  test('a streamed dump', async () => {
    const order = await ordered(async (host, order) => {
      const dump = await streamDatabase(host, shop.user, 1000, async () => {
        order.push('dump')
        return { code: 0, stderr: '', bytes: 1, sha256: 'x', end: END }
      })
      expect(dump.names).toEqual(['wp_options'])
    })

    expect(order).toEqual(['list', 'dump', 'import'])
  })

  test('a dump to a file', async () => {
    const order = await ordered(async (host) => {
      host.answer('tail', END)
      await dumpDatabase(host, shop.user, { path: '/x.sql', size: 1000 })
    })

    expect(order).toEqual(['list', 'dump', 'import'])
  })

  test('the first bytes of an export, and its reader may be slow', async () => {
    const order = await ordered(async (host, order) => {
      host.shell.bytes = async function* () {
        order.push('dump')
        yield new TextEncoder().encode('first\n')
        order.push('rest')
        yield new TextEncoder().encode(END)
      }
      const bytes = dumpBytes(host, shop.user, { operation: 'x', timeout_ms: 1000 })
      await bytes.next()
      await Bun.sleep(1)
      await Array.fromAsync(bytes)
    })

    expect(order).toEqual(['list', 'dump', 'import', 'rest'])
  })
})

test('the stream of a database without tables is not empty: restic saves no empty file', async () => {
  const host = await server(shop)
  host.answer('mariadb', 'end\n')
  const asked: (readonly string[])[] = []

  const dump = await streamDatabase(host, shop.user, 1000, async ({ argv }) => {
    asked.push(argv)
    return { code: 0, stderr: '', bytes: 1, sha256: 'x', end: `${argv.at(-1)}\n` }
  })

  expect([dump.tables, asked]).toEqual([0, [['echo', '-- Dump completed: there are no tables']]])
})
