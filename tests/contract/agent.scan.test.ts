// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { Inventory } from '#shared/kernel/inventory.ts'
import { eventsOf } from '#tests/support/client.ts'
import { runtimesOf, temporaryFolder } from '#tests/support/processes.ts'
import { notFound, type Row, row } from '#tests/support/rows.ts'
import { useAgent } from '#tests/support/running.ts'

/**
 * A recorded site of which nothing is on the disk: to be read, and nothing else can be done to it.
 */
const site = {
  domain: 'shop.example',
  php: '8.2',
  tier: 'small',
  tls: 'none',
  email: 'ann@shop.example',
  user: 'nobody-has-this-name',
}
const stream = {
  'content-type': /^text\/event-stream/,
  'cache-control': /no-store/,
  'operation-id': /^[A-Za-z0-9_-]{1,64}$/,
}

const rows: Row[] = [
  row('The database password of a site without a database is 404 naming the domain')
    .post('/sites/db-password', { domain: 'shop.example' })
    .answers(404, notFound('Database password of shop.example')),
  row('A scan of another domain is 404 naming it, and no stream')
    .post('/sites/wp-scan', { domain: 'other.example' })
    .answers(404, notFound('Site other.example'), {
      'content-type': /^application\/json/,
      'operation-id': null,
    }),
  row('The plan of a scan is an answer and no operation, and there is nothing in it')
    .post('/exec', { command: 'wp.scan', params: { domain: 'shop.example' }, dry_run: true })
    .answers(
      200,
      { plan: { steps: [] } },
      {
        'content-type': /^application\/json/,
        'cache-control': /no-store/,
        'operation-id': null,
      },
    ),
]

describe.each(runtimesOf('agent.scan'))('%s', (runtime) => {
  let state = ''
  const { client } = useAgent(runtime, async () => {
    state = await temporaryFolder('scan')
    return { AGENT_STATE_DIR: state }
  })
  const scan = (headers: Record<string, string> = {}, domain = site.domain) =>
    client().send({ method: 'POST', path: '/sites/wp-scan', body: { domain }, headers })
  beforeAll(async () => {
    await mkdir(`${state}/sites`)
    await chmod(`${state}/sites`, 0o755)
    for (const domain of ['shop.example', 'blog.example']) {
      const path = `${state}/sites/${domain}.json`
      await writeFile(path, JSON.stringify({ ...site, domain }))
      await chmod(path, 0o644)
    }
  })

  test.each(rows)('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })

  test('a scan is a stream of log events and one complete event with the result', async () => {
    const answer = await scan()

    expect(answer).toAnswer({ status: 200, answerHeaders: stream })
    const events = eventsOf(answer.text)
    const complete = events.at(-1)
    expect(events.slice(0, -1)).toEqual([
      { id: 1, event: 'log', data: { message: expect.stringContaining('shop.example') } },
    ])
    expect(complete).toMatchObject({ id: 2, event: 'complete', data: { status: 'ok' } } as never)
    expect(Inventory.safeParse(complete?.data).success).toBe(true)
  })

  test('wp.scan over /exec returns the same', async () => {
    const body = { command: 'wp.scan', params: { domain: ' SHOP.example. ' } }

    const answer = await client().post('/exec', body)

    expect(answer).toAnswer({ status: 200, answerHeaders: stream })
    expect(eventsOf(answer.text)).toEqual(eventsOf((await scan()).text))
  })

  test('an Operation-Id of the caller names the scan, and attaches to it later', async () => {
    const headers = { 'operation-id': 'my-scan_1' }

    const first = await scan(headers)
    const again = await scan({ ...headers, 'last-event-id': '1' })

    expect(first.headers.get('operation-id')).toBe('my-scan_1')
    expect(eventsOf(again.text)).toEqual(eventsOf(first.text).slice(1))
    expect((await client().get('/operations/my-scan_1/events')).text).toBe(first.text)
  })
})
