// tier: core
import { afterAll, describe, expect, test } from 'bun:test'
import { runAgent, runtimesOf, sweep } from '#tests/support/processes.ts'

afterAll(sweep)

const DUMP = "INSERT INTO `wp_options` VALUES\n(1,'home','https://old.example');\n"
const REQUEST = `${JSON.stringify({
  rules: [{ from: 'https://old.example', to: 'https://brand-new.example' }],
})}\n`

describe.each(runtimesOf('agent.rewrite'))('%s', (runtime) => {
  const rewrite = (input: string) => runAgent(runtime, ['rewrite'], {}, input)

  test('rewrites the dump on its standard input without rights, and reports it', async () => {
    const { code, out, err } = await rewrite(REQUEST + DUMP)

    expect({ code, out, report: JSON.parse(err) }).toEqual({
      code: 0,
      out: DUMP.replace('old', 'brand-new'),
      report: {
        bytes: { read: DUMP.length, written: DUMP.length + 6 },
        replaced: 1,
        tables: [
          {
            ...{ table: 'wp_options', rows: 1 },
            columns: [{ column: '#3', changed: 1, replaced: { plain: 1 }, serialized: 0 }],
          },
        ],
        left: [],
      },
    })
  })

  test('passes a dump that is cut off, and fails', async () => {
    const cut = DUMP.slice(0, -4)

    expect(await rewrite(REQUEST + cut)).toEqual({
      ...{ code: 1, out: cut },
      err: 'hosting-agent: Error: the dump ends inside a statement\n',
    })
  })

  test('fails without a request', async () => {
    expect(await rewrite('')).toMatchObject({ code: 1, out: '' })
  })
})
