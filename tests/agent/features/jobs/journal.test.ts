import { expect, test } from 'bun:test'
import { listJobRuns } from '#agent/features/jobs/list.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { invocation } from '#tests/support/agent/job-journal.ts'

const UNIT = 'hosting-cron@shop.service'
const AT = Date.UTC(2026, 2, 1, 9, 30)
const STARTING = '7d4958e842da4a758f6c1cdc7b36dcc5'
const FINISHED = '39f53479d3a045ac8e11786248231fbf'
const FAILED = 'd9b373ed55a64feb8242e02dbe79a49c'
const EXITED = '98e322203f7a4ed290d09fe03c09fe15'

const entry = (seconds: number, fields: object) =>
  JSON.stringify({ __REALTIME_TIMESTAMP: String((AT + seconds * 1000) * 1000), ...fields })
const report = (run: string, seconds: number, MESSAGE_ID: string, more = {}) =>
  entry(seconds, { MESSAGE_ID, INVOCATION_ID: invocation(run), MESSAGE: 'of systemd', ...more })
/** What systemd reports, and what the runs have logged. */
async function withRuns(reports: string[], logged: Record<string, string>) {
  const host = await server(shop)
  host.table.journalctl = () => printed(`${reports.join('\n')}\n`)
  const texts = Object.entries(logged).map(([run, text]) => [invocation(run), text])
  host.table['hosting-agent'] = () => printed(JSON.stringify(Object.fromEntries(texts)))
  return host
}

test('lists time, result and output of each run, newest first', async () => {
  const host = await withRuns(
    [
      ...['{', '[]', 'null', '{"MESSAGE":1}'],
      report('gone', -5, FINISHED),
      report('a', 0, STARTING),
      report('a', 2.5, FINISHED),
      report('b', 300, STARTING),
      report('b', 303, EXITED, { EXIT_CODE: 'exited', EXIT_STATUS: '3' }),
      report('b', 303, FAILED, { UNIT_RESULT: 'exit-code' }),
      report('c', 600, STARTING),
      report('c', 840, FAILED, { UNIT_RESULT: 'timeout' }),
      report('d', 900, STARTING),
      report('d', 901, FAILED, { UNIT_RESULT: 'oom-kill' }),
      report('e', 1200, STARTING),
    ],
    { b: 'Error: \u001b[31mno room\u001b[0m\nthe end', x: 'of nobody' },
  )

  const runs = await listJobRuns(host, 'shop.example')

  const at = (seconds: number) => new Date(AT + seconds * 1000).toISOString()
  const none = { exit_status: null, output: '' }
  expect(runs).toEqual([
    { ...none, started_at: at(1200), seconds: null, result: 'running' },
    { ...none, started_at: at(900), seconds: 1, result: 'killed' },
    { ...none, started_at: at(600), seconds: 240, result: 'timed_out' },
    {
      ...{ started_at: at(300), seconds: 3, result: 'failed' },
      ...{ exit_status: 3, output: 'Error: no room\nthe end' },
    },
    { started_at: at(0), seconds: 2.5, result: 'success', exit_status: 0, output: '' },
  ])
})

test('reads the reports of systemd with a limit, and the log with the rights of the site', async () => {
  const host = await withRuns([report('a', 0, STARTING), report('a', 1, FINISHED)], { a: 'one' })

  expect(await listJobRuns(host, 'shop.example')).toMatchObject([{ output: 'one' }])

  const [journal, reader] = host.runs
  expect(journal?.line).toMatch(new RegExp(` --lines=120 .* _PID=1 UNIT=${UNIT}$`))
  expect([reader?.line, reader?.options.site?.user]).toEqual([
    '/usr/local/bin/hosting-agent logs',
    'shop',
  ])
  expect(JSON.parse(reader?.options.input ?? '')).toEqual({
    ...{ what: 'output', source: 'cron', paths: ['/srv/www/shop/logs/jobs.log'] },
    ...{ runs: [invocation('a')], chars: 8192, budget_ms: 4000 },
    since: new Date(AT).toISOString(),
  })
  expect(host.runs).toHaveLength(2)
})

test('without a run, nothing of the site is read', async () => {
  const host = await withRuns([], {})

  expect(await listJobRuns(host, 'shop.example')).toEqual([])
  expect(host.runs).toHaveLength(1)
})

test('the end of a long output is kept', async () => {
  const reports = [report('a', 0, STARTING), report('a', 1, FINISHED)]
  const host = await withRuns(reports, { a: `${'x'.repeat(9000)}\u0007y` })

  const [run] = await listJobRuns(host, 'shop.example')

  expect(run?.output).toBe(`${'x'.repeat(4095)}y`)
})

test('has no jobs of a discovered site', async () => {
  const host = await server()

  await expect(listJobRuns(host, 'shop.example')).rejects.toThrow('Site shop.example not found')
})
